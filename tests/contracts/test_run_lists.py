"""What every list of runs does."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta

import pytest
from sqlalchemy import Engine

from core.platform.errors import NotFoundError
from core.runs.evaluation.model import Case
from core.runs.model import Feedback, Run, RunPurpose, RunRequest, RunStatus, Usage, Verdict
from core.runs.ports import RunLists
from core.runs.run_lists import PROBABLE, Removed, RunFilter, TimeSpan
from core.runs.store.evaluations import SqlEvaluations, SqlFeedbackStore
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]
Ask = Callable[..., Run]


@pytest.fixture
def lists(engine: Engine) -> RunLists:
    return SqlRunLists(engine)


@pytest.fixture
def ask(engine: Engine, clock: TickingClock) -> Ask:
    """Stores a run that ended, in a thread of its own unless one is named."""
    log, threads = SqlRunLog(engine, clock), SqlThreads(engine, clock)

    def asked(question: str = "What?", thread: str = "", by: str = "built-in", **changes: object) -> Run:
        workflow, purpose = str(changes.pop("workflow", "adaptive")), RunPurpose(str(changes.pop("purpose", "chat")))
        thread_id = thread or threads.create(question, "b", workflow, purpose).id
        base = str(changes.pop("base_id", "b"))
        run = log.start(RunRequest(question, base, workflow, purpose=purpose), thread_id, by)
        ended = replace(run, **{"status": RunStatus.DONE, "outcome": "answered", "seconds": 1.0, **changes})  # type: ignore[arg-type]
        if ended.status is not RunStatus.RUNNING:
            log.finish(ended)
        return ended

    return asked


def found(lists: RunLists, **wanted: object) -> list[str]:
    return [line.question for line in lists.find(RunFilter(**wanted), 50)]  # type: ignore[arg-type]


def test_a_line_holds_what_the_run_was(lists: RunLists, ask: Ask) -> None:
    run = ask("Why?", usage=Usage(2, 30, 4, True), error="the model failed")
    (line,) = lists.find(RunFilter(), 5)
    assert (line.id, line.thread_id, line.question, line.ending) == (run.id, run.thread_id, "Why?", "answered")
    assert (line.usage, line.seconds, line.started_at) == (run.usage, 1.0, run.started_at)
    assert line.degraded
    assert line.purpose is RunPurpose.CHAT


def test_a_line_says_whether_the_answer_calls_itself_probable(lists: RunLists, ask: Ask) -> None:
    ask("Sure?", answer="From your documents: “Probably this: a buoy.”")
    ask("Declined?", outcome="closest", answer="Probably this: a buoy.")
    ask("English?", answer="Probably this: “A buoy.” [1]")
    ask("繁體？", answer="很可能是：「浮標。」[1]")
    assert [line.question for line in lists.find(RunFilter(), 9) if line.is_probable] == ["繁體？", "English?"]
    assert found(lists, ending=PROBABLE) == ["繁體？", "English?"]
    assert found(lists, ending="answered") == ["Sure?"]


def test_the_newest_come_first_in_pages(lists: RunLists, ask: Ask) -> None:
    for number in range(5):
        ask(f"q{number}")
    assert [line.question for line in lists.find(RunFilter(), 2, 2)] == ["q2", "q1"]
    assert [line.question for line in lists.lines(RunFilter())] == ["q4", "q3", "q2", "q1", "q0"]
    assert lists.count(RunFilter()) == 5


@pytest.mark.parametrize(
    ("wanted", "questions"),
    [
        ({"question": "ＢＵＯＹ"}, ["How many buoys?"]),
        ({"question": "100%"}, []),
        ({"question": "红色"}, ["紅色預警?"]),
        ({"workflow": "planner"}, ["紅色預警?"]),
        ({"engine": "m-1"}, ["By a model"]),
        ({"ending": "closest"}, ["紅色預警?"]),
        ({"ending": "failed"}, ["By a model"]),
        ({"ending": "running"}, ["Now"]),
        ({"ending": "answered"}, ["Test", "How many buoys?"]),
        ({"degraded": True}, ["紅色預警?"]),
        ({"base_id": "other"}, ["How many buoys?"]),
        ({"purpose": RunPurpose.EVALUATION}, ["Test"]),
        ({"purpose": RunPurpose.CHAT, "ending": "answered"}, ["How many buoys?"]),
    ],
)
def test_a_filter_narrows_the_list(lists: RunLists, ask: Ask, wanted: dict[str, object], questions: list[str]) -> None:
    ask("How many buoys?", base_id="other")
    ask("紅色預警?", workflow="planner", outcome="closest", error="no model")
    ask("By a model", by="m-1", status=RunStatus.FAILED, outcome="", error="why")
    ask("Test", purpose="evaluation")
    ask("Now", status=RunStatus.RUNNING, outcome="")
    assert found(lists, **wanted) == questions
    assert lists.count(RunFilter(**wanted)) == len(questions)  # type: ignore[arg-type]


def test_a_list_has_a_beginning_and_an_end_in_time(lists: RunLists, ask: Ask, clock: TickingClock) -> None:
    ask("old")
    clock.now += timedelta(days=2)
    middle = ask("middle")
    clock.now += timedelta(days=2)
    ask("new")
    assert found(lists, since=middle.started_at) == ["new", "middle"]
    assert found(lists, before=middle.started_at) == ["old"]
    assert found(lists, since=middle.started_at, before=middle.started_at + timedelta(seconds=1)) == ["middle"]


def test_figures_are_summed_by_span_engine_and_ending(lists: RunLists, ask: Ask, clock: TickingClock) -> None:
    ask("a", usage=Usage(1, 10, 1), seconds=2.0)
    ask("b", usage=Usage(1, 20, 2), seconds=3.0)
    ask("c", outcome="not_found")
    ask("under way", status=RunStatus.RUNNING, outcome="")
    clock.now += timedelta(days=1)
    ask("d", by="m-1")
    days = [(one.start, one.engine, one.ending, one.runs, one.seconds) for one in lists.sums(RunFilter(), TimeSpan.DAY)]
    assert sorted(days) == [
        ("2026-11-20", "built-in", "answered", 2, 5.0),
        ("2026-11-20", "built-in", "not_found", 1, 1.0),
        ("2026-11-21", "m-1", "answered", 1, 1.0),
    ]
    answered = lists.sums(RunFilter(engine="built-in", ending="answered"), TimeSpan.DAY)
    assert [one.usage for one in answered] == [Usage(0, 30, 3)]
    assert [one.start for one in lists.sums(RunFilter(engine="m-1"), TimeSpan.HOUR)] == ["2026-11-21 12"]


def test_engines_are_those_that_answered(lists: RunLists, ask: Ask) -> None:
    ask(by="m-2"), ask(by="built-in"), ask(by="m-2")
    assert lists.engines() == ["built-in", "m-2"]


def test_removing_takes_runs_and_emptied_conversations_and_leaves_what_is_under_way(
    lists: RunLists, ask: Ask, engine: Engine, clock: TickingClock
) -> None:
    threads, log = SqlThreads(engine), SqlRunLog(engine)
    old = ask("old")
    kept = ask("half")
    ask("under way", status=RunStatus.RUNNING, outcome="")
    clock.now += timedelta(days=40)
    ask("new half", thread=kept.thread_id)
    assert lists.remove(RunFilter(before=clock.now - timedelta(days=30))) == Removed(2, 1)
    assert found(lists) == ["new half", "under way"]
    with pytest.raises(NotFoundError):
        threads.get(old.thread_id)
    assert threads.get(kept.thread_id)
    assert [run.question for run in log.of_thread(kept.thread_id)] == ["new half"]


def test_an_evaluation_whose_runs_were_removed_can_go_on(lists: RunLists, ask: Ask, engine: Engine) -> None:
    threads, evaluations = SqlThreads(engine), SqlEvaluations(engine)
    thread = threads.create("Kelp", "b", "adaptive", RunPurpose.EVALUATION)
    ask("Test", thread.id, purpose="evaluation")
    kept = evaluations.keep_list("Kelp", [Case("c1", "Test")])
    evaluations.begin(kept.id, "b", thread.id, ["adaptive"], evaluations.cases(kept.id))
    assert lists.remove(RunFilter()) == Removed(1, 0)
    assert threads.get(thread.id)
    evaluations.delete_list(kept.id)
    ask("Test", thread.id, purpose="evaluation")
    assert lists.remove(RunFilter()) == Removed(1, 1)


def test_threads_of_evaluations_are_not_among_the_conversations(engine: Engine, ask: Ask) -> None:
    ask("Test", purpose="evaluation")
    ask("Chat")
    assert [thread.title for thread in SqlThreads(engine).find()] == ["Chat"]


def test_runs_are_found_by_what_the_reader_thought_of_them(lists: RunLists, ask: Ask, engine: Engine) -> None:
    feedback = SqlFeedbackStore(engine)
    feedback.give(Feedback(ask("good").id, Verdict.UP))
    feedback.give(Feedback(ask("bad").id, Verdict.DOWN))
    assert found(lists, verdict="down") == ["bad"]


def test_a_branch_goes_on_without_its_removed_beginning(
    lists: RunLists, ask: Ask, engine: Engine, clock: TickingClock
) -> None:
    first = ask("first")
    clock.now += timedelta(days=40)
    second = ask("second", thread=first.thread_id)
    assert lists.remove(RunFilter(before=second.started_at)) == Removed(1, 0)
    assert SqlRunLog(engine).get(second.id).parent_id == ""
    assert lists.remove(RunFilter(question="first")) == Removed(0, 0)
    third = ask("third", thread=first.thread_id)
    lists.remove(RunFilter(question="third"))
    assert SqlThreads(engine).get(third.thread_id).leaf_id == second.id


def test_runs_of_a_conversation_that_was_put_away_are_not_listed(lists: RunLists, ask: Ask, engine: Engine) -> None:
    SqlThreads(engine).put_away(ask("away").thread_id)
    assert found(lists) == []


def test_a_run_that_forks_have_copied_counts_once(lists: RunLists, ask: Ask, engine: Engine) -> None:
    threads, run = SqlThreads(engine), ask("Why?", usage=Usage(1, 10, 1), seconds=2.0)
    fork = threads.fork(run.thread_id, run.id, "Fork")
    threads.fork(fork.id, fork.leaf_id, "Fork of the fork")
    ask("Next?", thread=fork.id)
    assert found(lists) == ["Next?", "Why?"]
    assert lists.find(RunFilter(question="why"), 5)[0].id == run.id
    assert lists.count(RunFilter()) == 2
    assert [(one.runs, one.seconds) for one in lists.sums(RunFilter(question="why"), TimeSpan.DAY)] == [(1, 2.0)]


def test_a_copy_counts_where_its_original_is_gone(lists: RunLists, ask: Ask, engine: Engine) -> None:
    threads, run = SqlThreads(engine), ask("Why?")
    fork, other = (threads.fork(run.thread_id, run.id, title) for title in ("Fork", "Other"))
    threads.put_away(run.thread_id)
    assert [line.thread_id for line in lists.find(RunFilter(), 5)] == [fork.id]
    threads.restore(run.thread_id)
    assert [line.thread_id for line in lists.find(RunFilter(), 5)] == [run.thread_id]
    delete_thread(threads, run.thread_id)
    delete_thread(threads, fork.id)
    assert [line.thread_id for line in lists.find(RunFilter(), 5)] == [other.id]


def test_removing_a_run_removes_its_copies(lists: RunLists, ask: Ask, engine: Engine) -> None:
    threads, run = SqlThreads(engine), ask("Why?")
    fork = threads.fork(run.thread_id, run.id, "Fork")
    assert lists.remove(RunFilter()) == Removed(1, 2)
    assert SqlRunLog(engine).of_thread(fork.id) == []


def test_a_question_that_is_asked_while_the_others_of_its_thread_are_removed_stays(
    engine: Engine, lists: RunLists, ask: Ask
) -> None:
    earlier, log = ask("old"), SqlRunLog(engine)
    interleaved(
        engine,
        lambda: log.start(RunRequest("new", "b"), earlier.thread_id, "e"),
        "leaf_id",
        lambda: lists.remove(RunFilter(question="old")),
    )
    assert [run.question for run in log.of_thread(earlier.thread_id)] == ["new"]
