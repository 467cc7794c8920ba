"""What every RunLog does."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import get_args

import pytest
from sqlalchemy import Engine

from core.memory.model import AnswerForm, PreferredForm
from core.models.meter import ModelPhase
from core.platform.clock import utc_now
from core.platform.errors import NotFoundError
from core.rulebook.model import Assessment, AssessmentReason
from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    AttachmentsRead,
    BudgetSet,
    ConsentAsked,
    ConsentGiven,
    ContinuedFrom,
    Degraded,
    Event,
    EvidenceAssessed,
    FollowUpsFound,
    ForgetOffered,
    FormsOffered,
    GraphTouched,
    MemoriesRecalled,
    MemorySaved,
    ModelAsked,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    PreferencesFollowed,
    RulesAnswered,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Scored,
    TextsRemoved,
    ToolCalled,
    WebQueried,
)
from core.runs.history.model_failure import failure_of
from core.runs.history.view import fold
from core.runs.model import Attachment, AttachmentStatus, Run, RunCommand, RunPurpose, RunRequest, RunStatus, Usage
from core.runs.ports import RunLog
from core.runs.store.run_log import SqlRunLog
from core.runs.store.run_texts import SqlRunTexts
from core.runs.store.threads import SqlThreads
from core.search.model import Citation, ShownPassage
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]

CITATION = Citation(1, "c", "d", "报告.pdf", 0, ((0, (1, 2, 3, 4)), (1, (5, 6, 7, 8))), "quoted “text”", 0.5)
SHOWN = ShownPassage(1, ("第一章",), "红色预警 text", ((0, 4),))
EVERY_EVENT: list[Event] = [
    RunStarted("What is <b>BERT</b>?", "adaptive", "built-in"),
    NodeStarted("retrieve", 1),
    NodeFinished("retrieve", 2, 0.25, "found", "why", (("query", "bert"),), Usage(1, 2, 3, True), '{"draft":1}'),
    PassagesGraded("grade", (Scored("c", "d", 1, "t", 0.5, ("vector",)),), (Scored("c", "d", 1, "t", 0.1, (), "key"),)),
    EvidenceAssessed(Assessment(0.5, 0.58, (AssessmentReason("run.declined.undefined", (("thing", "舱"),)),))),
    MemoriesRecalled((("m", "text"),)),
    MemorySaved("m", "text", "active"),
    GraphTouched("retrieve", ("e1", "e2")),
    ModelAsked("route", 60.0),
    ModelProgress(ModelPhase.READING, 40),
    ModelCalled("route", "prompt", "response", 0.5, Usage(1)),
    ToolCalled("search", '{"q": 1}', "result", 0.5, "call-1"),
    FormsOffered((("d", "请假表.docx"),)),
    ForgetOffered(("m1", "m2")),
    AttachmentsRead(
        (Attachment("图.pdf", AttachmentStatus.FAILED, 0.4, None, "ingest.error.empty", (("name", "图.pdf"),)),)
    ),
    BudgetSet(24, 60_000, 180.0, 16),
    TextsRemoved(),
    ContinuedFrom("r0", "generate", 1, ("sources",)),
    FollowUpsFound(("And KelpNet?",)),
    PreferencesFollowed((PreferredForm("m", AnswerForm.SHORTER),)),
    ConsentAsked("weather 今天"),
    ConsentGiven("once"),
    WebQueried("weather 今天"),
    Degraded("route", "timeout"),
    AnswerDelta("深度 👍"),
    AnswerReset("again"),
    AnswerReady("text [1]", (CITATION,), ("unsupported",), stands_in=SHOWN),
    RulesAnswered(AnswerReady("最接近", (CITATION,), passages=(SHOWN, replace(SHOWN, number=2, folded=True)))),
    RunFinished("answered", 1.5, Usage(2, 3, 4)),
    RunStopped(0.5),
    RunFailed("error.unexpected", (("kind", "X"),)),
]


@pytest.fixture
def log(engine: Engine, clock: TickingClock) -> RunLog:
    return SqlRunLog(engine, clock)


@pytest.fixture
def thread_id(engine: Engine, clock: TickingClock) -> str:
    return SqlThreads(engine, clock).create("T", "base", "adaptive").id


@pytest.fixture
def run(log: RunLog, thread_id: str) -> Run:
    return log.start(RunRequest("What?", "base"), thread_id, "built-in")


def test_a_run_is_running_from_its_start(log: RunLog, run: Run, thread_id: str) -> None:
    assert log.get(run.id) == run
    assert (run.status, run.thread_id, run.question, run.workflow) == (
        RunStatus.RUNNING,
        thread_id,
        "What?",
        "adaptive",
    )
    assert log.running() == [run]


def test_a_conversation_begins_with_its_first_run(log: RunLog, engine: Engine) -> None:
    run = log.begin(RunRequest("What?", "base", purpose=RunPurpose.API), "About it", "built-in", "one")
    thread = SqlThreads(engine).get(run.thread_id)
    assert (thread.title, thread.base_id, thread.workflow, thread.leaf_id) == ("About it", "base", "adaptive", run.id)
    assert log.get(run.id) == run
    assert (run.parent_id, run.purpose, run.process) == ("", RunPurpose.API, "one")


def test_a_finished_run_comes_back_as_it_was_given(log: RunLog, run: Run) -> None:
    finished = replace(
        run,
        status=RunStatus.DONE,
        outcome="answered",
        answer="text [1]",
        citations=(CITATION,),
        usage=Usage(3, 200, 40, True),
        seconds=1.25,
        error="none",
    )
    log.finish(finished)
    assert log.get(run.id) == finished
    assert log.running() == []
    log.append(run.id, [AnswerDelta("text")])
    ending: list[Event] = [AnswerDelta(" [1]"), RunFinished("answered", 1.25, Usage())]
    log.finish(replace(finished, status=RunStatus.FAILED), events=ending)
    assert log.get(run.id).status is RunStatus.FAILED
    assert log.events(run.id, 1) == [(2, ending[0]), (3, ending[1])]


def test_every_kind_of_event_comes_back_as_it_was(log: RunLog, run: Run) -> None:
    assert {type(event) for event in EVERY_EVENT} == set(get_args(Event))
    assert log.append(run.id, EVERY_EVENT) == len(EVERY_EVENT)
    assert log.events(run.id, 0) == list(enumerate(EVERY_EVENT, start=1))


def test_an_old_run_keeps_its_answer_and_steps_without_the_texts_and_a_new_one_everything(
    log: RunLog, engine: Engine, run: Run, thread_id: str
) -> None:
    texts = SqlRunTexts(engine)
    log.append(run.id, EVERY_EVENT[:9])
    log.append(run.id, EVERY_EVENT[9:])
    assert texts.remove(utc_now()) == 0, "it is under way"
    log.finish(replace(run, status=RunStatus.DONE, answer="BERT is a model."))
    assert texts.remove(run.started_at) == 0, "it is not old enough"
    before = fold(event for _, event in log.events(run.id, 0))
    assert texts.remove(run.started_at + timedelta(seconds=1)) == 1
    assert texts.remove(run.started_at + timedelta(seconds=1)) == 0
    events = log.events(run.id, 0)
    after = fold(event for _, event in events)
    assert after.texts_removed
    assert events[-1][0] == len(EVERY_EVENT), "who follows from a cursor gets nothing twice"
    for name in ("question", "answer", "citations", "outcome", "usage", "seconds", "status", "forms", "unsupported"):
        assert getattr(after, name) == getattr(before, name)
    assert [(step.node, step.outcome, step.seconds) for step in after.steps] == [
        (step.node, step.outcome, step.seconds) for step in before.steps
    ]
    assert failure_of(after) == failure_of(before)
    written = repr(events)
    for text in ("'prompt'", "'response'", "'result'", '{"q": 1}', '{"draft":1}'):
        assert text not in written
    assert not any(step.kept or step.rejected for step in after.steps)


def test_a_run_belongs_to_one_process_which_others_may_ask_to_stop_and_take_over_from(
    log: RunLog, thread_id: str
) -> None:
    request = RunRequest("What?", "base", "planner", thread_id, use_memory=False, interface_language="en")
    first = log.start(request, thread_id, "built-in", "one")
    run = log.start(request, thread_id, "built-in", "one")
    assert (run.process, log.get(run.id)) == ("one", run)
    log.append(run.id, [AnswerDelta("a")], "one")
    assert log.send_consent(run.id, "thread")
    assert log.asked(run) == replace(request, after=first.id), "as it was asked, at its place in the conversation"
    assert log.take_over(run, "two")
    assert not log.take_over(run, "three"), "the second was first"
    for refused in (lambda: log.append(run.id, [AnswerDelta("b")], "one"), lambda: log.finish(run, "one")):
        with pytest.raises(NotFoundError):
            refused()
    log.append(run.id, [AnswerDelta("c")], "two")
    assert log.events(run.id, 0) == [(1, AnswerDelta("a")), (2, AnswerDelta("c"))]
    assert log.commands("two") == [], "what was answered to the run before does not count for the one begun anew"
    assert log.send_consent(run.id, "once")
    assert not log.send_consent(run.id, "no"), "the first answer counts"
    assert (log.commands("one"), log.commands("two")) == ([], [RunCommand(run.id, False, "once")])
    assert log.request_stop(run.id)
    assert (log.commands("one"), log.commands("two"), log.asked(run)) == ([], [RunCommand(run.id, True, "once")], None)
    log.finish(replace(log.get(run.id), status=RunStatus.STOPPED), "two")
    assert (log.commands("two"), log.request_stop(run.id), log.request_stop("unknown")) == ([], False, False)
    assert not log.send_consent(run.id, "once")
    kept_by_program = log.start(replace(request, history=()), thread_id, "built-in", "one")
    assert log.asked(kept_by_program) is None


def test_events_are_numbered_without_gaps_and_read_from_a_cursor(log: RunLog, run: Run) -> None:
    assert log.append(run.id, []) == 0
    assert log.append(run.id, [AnswerDelta("a"), AnswerDelta("b")]) == 2
    assert log.append(run.id, [AnswerDelta("c")]) == 3
    assert log.append(run.id, []) == 3
    assert log.events(run.id, 1) == [(2, AnswerDelta("b")), (3, AnswerDelta("c"))]
    assert log.events(run.id, 3) == log.events("unknown", 0) == []


def test_events_of_several_writers_get_numbers_of_their_own(log: RunLog, run: Run) -> None:
    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda i: log.append(run.id, [AnswerDelta(f"{i}a"), AnswerDelta(f"{i}b")]), range(24)))
    events = log.events(run.id, 0)
    assert [seq for seq, _ in events] == list(range(1, 49))
    texts = [event.text for _, event in events if isinstance(event, AnswerDelta)]
    assert all(first[:-1] == second[:-1] for first, second in zip(texts[::2], texts[1::2], strict=True))


@pytest.mark.parametrize("way", ["removed by another process, too", "deleted meanwhile"])
def test_texts_are_removed_whatever_happens_to_their_runs_meanwhile(
    log: RunLog, engine: Engine, run: Run, thread_id: str, way: str
) -> None:
    log.finish(replace(run, status=RunStatus.DONE, answer="A"), events=[RunFinished("answered", 1.0, Usage())])
    texts, tomorrow = SqlRunTexts(engine), utc_now() + timedelta(days=1)

    def meanwhile() -> None:
        if way == "deleted meanwhile":
            delete_thread(SqlThreads(engine), thread_id)
        else:
            SqlRunTexts(engine).remove(tomorrow)

    interleaved(engine, lambda: texts.remove(tomorrow), "DELETE FROM run_events", meanwhile)
    kept = [] if way == "deleted meanwhile" else [RunFinished]
    assert [type(event) for _, event in log.events(run.id, 0)] == kept


def test_text_that_no_database_takes_is_replaced_in_place(log: RunLog, run: Run) -> None:
    log.append(run.id, [AnswerDelta("a\x00b\ud800c")])
    assert log.events(run.id, 0) == [(1, AnswerDelta("a\ufffdb\ufffdc"))]


def test_runs_are_listed_by_thread(log: RunLog, engine: Engine, run: Run, thread_id: str) -> None:
    log.start(RunRequest("Other?", "b"), SqlThreads(engine).create("O", "", "").id, "e")
    second = log.start(RunRequest("Again?", "b"), thread_id, "e")
    assert log.of_thread(thread_id) == [run, second]
    assert log.of_thread("unknown") == []


def test_a_run_that_is_gone_is_reported(log: RunLog, engine: Engine, run: Run, thread_id: str) -> None:
    delete_thread(SqlThreads(engine), thread_id)
    for work in (
        lambda: log.get(run.id),
        lambda: log.append(run.id, [AnswerDelta("late")]),
        lambda: log.finish(run),
        lambda: log.start(RunRequest("?", ""), thread_id, "e"),
    ):
        with pytest.raises(NotFoundError):
            work()
