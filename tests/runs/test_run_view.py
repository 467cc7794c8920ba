"""Folding events into what people see: the same live, after a reload and as replay."""

from dataclasses import replace

import pytest

from core.models.meter import ModelPhase
from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    Degraded,
    Event,
    GraphTouched,
    MemoriesRecalled,
    MemorySaved,
    ModelAsked,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    RulesAnswered,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Scored,
    ToolCalled,
)
from core.runs.history.model_failure import as_ended, failure_of
from core.runs.history.view import INTERRUPTED, RunView, apply, fold
from core.runs.model import RunRequest, RunStatus, Usage
from core.search.model import Citation, FoundPassage, ShownPassage
from tests.fakes.runs import FakeRunLog

CITATION = Citation(1, "c", "d", "x.pdf", 0, (), "quote", 0.9)
SCORED = Scored("c", "x.pdf", 0, "text", 0.9)
START: list[Event] = [RunStarted("Why?", "adaptive", "built-in", "me"), NodeStarted("generate", 1)]


@pytest.mark.parametrize(
    ("events", "answer", "citations", "withdrawn"),
    [
        ([AnswerDelta("a"), AnswerDelta("b")], "ab", (), ()),
        ([AnswerDelta("a"), AnswerReady("A [1]", (CITATION,))], "A [1]", (CITATION,), ()),
        ([AnswerReady("A [1]", (CITATION,)), AnswerReset("no")], "", (), ("no",)),
        ([AnswerDelta("a"), AnswerReset("no"), AnswerDelta("b")], "b", (), ("no",)),
    ],
)
def test_the_answer_so_far(
    events: list[Event], answer: str, citations: tuple[Citation, ...], withdrawn: tuple[str, ...]
) -> None:
    view = fold(START + events)
    assert (view.answer, view.citations, view.withdrawn) == (answer, citations, withdrawn)


@pytest.mark.parametrize(
    ("event", "status"),
    [
        (RunFinished("answered", 1.0, Usage(1, 2, 3)), RunStatus.DONE),
        (RunStopped(1.0), RunStatus.STOPPED),
        (RunFailed("error.unexpected"), RunStatus.FAILED),
        (RunFailed(INTERRUPTED), RunStatus.INTERRUPTED),
        (AnswerDelta("x"), RunStatus.RUNNING),
    ],
)
def test_the_last_event_decides_the_status(event: Event, status: RunStatus) -> None:
    assert apply(fold(START), event).status is status


def test_a_step_collects_what_happened_in_it() -> None:
    saved, call, tool = (
        MemorySaved("m", "t", "active"),
        ModelCalled("t", "p", "r", 1.0, Usage(1, 5, 6)),
        ToolCalled("t", "{}", "r", 1),
    )
    degraded = Degraded("t", "why")
    inside: list[Event] = [
        MemoriesRecalled((("m", "text"),)),
        PassagesGraded("generate", (SCORED,), (SCORED, SCORED)),
        GraphTouched("generate", ("e1", "e2")),
        saved,
        call,
        tool,
        degraded,
        NodeFinished("generate", 1, 2.5, "written", "why", (("n", "1"),), Usage(1, 5, 6)),
    ]
    view = fold(START + inside)
    (step,) = view.steps
    assert (step.seconds, step.outcome, step.reason, step.details) == (2.5, "written", "why", (("n", "1"),))
    assert (len(step.kept), len(step.rejected)) == (1, 2)
    assert (step.saved, step.calls, step.tools, step.degraded) == ((saved,), (call,), (tool,), (degraded,))
    assert (view.memories, view.entity_ids) == ((("m", "text"),), ("e1", "e2"))
    assert view.usage == Usage(1, 5, 6)


def test_a_failure_of_the_model_on_this_machine_is_told_with_its_details() -> None:
    gone = Degraded("generate", "local_model.no_file", (("path", "/m/x.gguf"),))
    failure = failure_of(fold([*START, gone]))
    assert failure is not None
    assert "There is no file /m/x.gguf." in failure.sentence("en")
    assert "/m/x.gguf" in failure.sentence("zh-hans")
    run = FakeRunLog().start(RunRequest("Why?", "b"), "t", "own")
    ended = as_ended(run, fold([*START, gone, RunFinished("answered", 1.0, Usage())]))
    assert ended.error == failure.sentence("en")


def test_an_answer_that_a_small_model_began_with_a_yes_and_did_not_write_is_that_of_the_rules() -> None:
    said = ModelCalled("can_answer", "May they answer?", "yes", 1.0, Usage(1, 5, 6))
    failure = failure_of(fold([*START, said, Degraded("write_answer", "llm.timeout")]))
    assert failure is not None
    assert failure.instead == "built_in"


def test_the_active_step_is_the_one_without_an_end() -> None:
    view = fold(START)
    assert view.active is not None
    assert view.active.node == "generate"
    assert fold([*START, NodeFinished("generate", 1, 1.0, "x")]).active is None


def test_a_second_attempt_is_a_step_of_its_own() -> None:
    view = fold(
        [*START, NodeFinished("generate", 1, 1.0, "x"), NodeStarted("generate", 2), GraphTouched("generate", ("e",))]
    )
    assert [(step.attempt, step.entity_ids) for step in view.steps] == [(1, ()), (2, ("e",))]


def test_events_without_a_place_change_nothing() -> None:
    assert apply(RunView(), NodeFinished("ghost", 1, 1.0, "x")) == RunView()
    assert apply(RunView(), Degraded("t", "r")) == RunView()


def test_folding_bit_by_bit_is_folding_at_once() -> None:
    events = [*START, AnswerDelta("a"), NodeFinished("generate", 1, 1.0, "x"), RunFinished("answered", 1.0, Usage())]
    view = RunView()
    for event in events:
        view = apply(view, event)
    assert view == fold(events)


@pytest.mark.parametrize("last", [(), (NodeFinished("generate", 1, 2.0, "error"),)])
def test_the_step_that_a_stop_ends_is_stopped_and_no_error(last: tuple[Event, ...]) -> None:
    """Also where an earlier version logged its end as an error."""
    done: list[Event] = [NodeStarted("plan", 1), NodeFinished("plan", 1, 0.1, "chunks")]
    view = fold([START[0], *done, *START[1:], *last, RunStopped(3.0)])
    assert [step.outcome for step in view.steps] == ["chunks", "stopped"]


SHOWN = ShownPassage(1, ("Care",), "Buoys\n\nThe crew lifts it.\nIt is *cleaned*.", ((7, 26), (26, 42)))


def test_what_the_rules_know_is_shown_until_the_answer_is_whole_and_again_when_it_is_withdrawn() -> None:
    told = AnswerReady("Closest.", (CITATION,), passages=(SHOWN,))
    ready = AnswerReady("A [1]", (CITATION,), stands_in=SHOWN)
    events = [*START, RulesAnswered(told), AnswerDelta("A")]
    assert fold(events).interim == told
    assert (fold([*events, ready]).interim, fold([*events, ready]).stands_in) == (None, SHOWN)
    assert fold([*events, ready, AnswerReset("no")]).interim == told


def test_places_are_those_of_the_answer_and_of_what_stands_beside_it() -> None:
    second = replace(CITATION, number=2)
    beside = tuple(FoundPassage(replace(SHOWN, number=it.number), it) for it in (CITATION, second))
    ready = AnswerReady("A [1]", (CITATION,), beside=beside)
    told = RulesAnswered(AnswerReady("Closest.", (second,)))
    assert fold([*START, told]).places == (second,)
    assert fold([*START, told, ready]).places == (CITATION, second)
    assert fold([*START, told, ready, AnswerReset("no")]).places == (second,)


def test_progress_belongs_to_the_call_under_way() -> None:
    asked = [*START, ModelAsked("generate", 60.0), ModelProgress(ModelPhase.LOADING, 20)]
    assert fold(asked).steps[-1].progress == ModelProgress(ModelPhase.LOADING, 20)
    ended = fold([*asked, ModelCalled("generate", "p", "r", 1.0, Usage(1, 2, 3))])
    assert ended.steps[-1].progress is None


def test_passages_that_are_the_answer_are_part_of_its_text() -> None:
    further = replace(SHOWN, number=2, folded=True)
    view = fold([*START, AnswerReady("Closest.", (CITATION,), passages=(SHOWN, further))])
    place = "Closest.\n\nx.pdf · p. 1 · Care [1]\n\n"
    assert view.written == f"{place}> Buoys  \n> **The crew lifts it.**  \n> It is *cleaned*.  "
    assert fold([*START, AnswerReady("A [1]", (CITATION,), stands_in=SHOWN)]).written == "A [1]"
