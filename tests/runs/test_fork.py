"""Time travel: a run that goes on from a step of an earlier one, with changes."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.agents.state import AgentTurn, Draft, Route, SearchState, State
from core.agents.workflows.drawing import draw
from core.agents.workflows.registry import workflows
from core.agents.workflows.workflow import compile_workflow
from core.models.agent_ports import ToolUse
from core.platform.errors import AppError, InputError, NotFoundError
from core.runs.events import ContinuedFrom, Event, NodeFinished, NodeStarted
from core.runs.fork.fork import CHECKS, changeables, outcomes_of, taken_over
from core.runs.fork.state_codec import read, written
from core.runs.history.view import RunView, fold
from core.runs.model import AnswerOutcome, Continuation, RunOptions, RunRequest
from core.search.model import Citation, Hit, Rejected
from tests.fakes import BASE
from tests.runs.test_run_worker import Office


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.worker.close()


def told(office: Office, run_id: str) -> RunView:
    return fold(office.events(run_id))


def go_on(office: Office, continues: Continuation, question: str, workflow: str = "adaptive") -> RunView:
    request = RunRequest(question, BASE, workflow, options=RunOptions(continues=continues))
    return told(office, office.worker.start(request))


def test_what_comes_before_is_reused_and_what_follows_sees_the_change(office: Office) -> None:
    first = office.ask("Who built the lighthouse of Oslo?")
    assert told(office, first).outcome == AnswerOutcome.NOT_FOUND
    change = Continuation(first, "plan", 1, question="Who developed KelpNet?")
    view = go_on(office, change, "Who built the lighthouse of Oslo?")
    assert "Lena Vogt" in view.answer
    assert [step.node for step in view.steps if step.reused] == ["guard", "detect_language", "recall_memory", "plan"]
    assert view.steps[4].node == "rewrite_query"
    assert not view.steps[4].reused
    assert changeables(view)[3] is not None
    assert ContinuedFrom(first, "plan", 1, ("question",)) in [*office.log.logged.values()][-1]


def test_a_run_that_goes_on_can_be_gone_on_from_at_a_step_it_took_over(office: Office) -> None:
    first = office.ask("Who built the lighthouse of Oslo?")
    told(office, first)
    second = office.worker.start(
        RunRequest("Who?", BASE, options=RunOptions(continues=Continuation(first, "rewrite_query", 1, query="KelpNet")))
    )
    assert "KelpNet" in dict(told(office, second).steps[5].details)["query"]
    view = go_on(office, Continuation(second, "plan", 1, question="Who developed KelpNet?"), "Who?")
    assert "Lena Vogt" in view.answer


def test_the_reader_takes_another_arrow(office: Office) -> None:
    first = office.ask()
    told(office, first)
    view = go_on(office, Continuation(first, "plan", 1, outcome="direct"), "Who developed KelpNet?")
    assert [step.node for step in view.steps][4] == "direct_answer"
    assert view.outcome == AnswerOutcome.DIRECT


def test_the_reader_chooses_the_evidence(office: Office) -> None:
    first = office.ask()
    kept = [it.chunk_id for step in told(office, first).steps for it in step.kept]
    change = Continuation(first, "grade_evidence", 1, kept=())
    view = go_on(office, change, "Who developed KelpNet?")
    graded = next(step for step in view.steps if step.node == "grade_evidence")
    assert kept
    assert not graded.kept
    assert {it.chunk_id for it in graded.rejected} >= set(kept)
    assert [step.node for step in view.steps].count("retrieve") == 2


def test_a_draft_written_otherwise_is_checked_like_any_other(office: Office) -> None:
    first = office.ask()
    told(office, first)
    good = go_on(
        office, Continuation(first, "generate", 1, answer="Lena Vogt developed KelpNet [1]."), "Who developed KelpNet?"
    )
    assert (good.answer, good.outcome) == ("Lena Vogt developed KelpNet [1].", AnswerOutcome.ANSWERED)
    assert [citation.number for citation in good.citations] == [1]
    bad = go_on(
        office, Continuation(first, "generate", 1, answer="A baker from Rome did [1]."), "Who developed KelpNet?"
    )
    assert "baker" not in bad.answer


def test_what_is_written_in_place_of_an_outline_is_none(office: Office) -> None:
    run = office.log.start(RunRequest("What is it about?", BASE), "t1", "built-in")
    outline = Draft("Its headings [1].", outline=True, outcome=AnswerOutcome.ANSWERED)
    ended = NodeFinished("generate", 1, 0.1, "written", update=written({"draft": outline}))
    office.log.append(run.id, [NodeStarted("generate", 1), ended])
    change = Continuation(run.id, "generate", 1, answer="A baker from Rome did.")
    draft = taken_over(office.log, RunRequest("What is it about?", BASE), change).fields["draft"]
    assert (draft.answer, draft.outline, draft.outcome) == ("A baker from Rome did.", False, None)


@pytest.mark.parametrize(
    ("change", "error"),
    [
        (Continuation("", "plan", 7), NotFoundError),
        (Continuation("", "nowhere", 1), NotFoundError),
        (Continuation("gone", "plan", 1), NotFoundError),
        (Continuation("", "plan", 1, outcome="retry"), InputError),
        (Continuation("", "evaluate_compliance", 1, outcome="safe_reply"), InputError),
        (Continuation("", "telemetry", 1, answer="Anything."), InputError),
        (Continuation("", "plan", 1, arguments=('{"query": "buoys"',)), InputError),
        (Continuation("", "plan", 1, arguments=("[1]",)), InputError),
    ],
)
def test_impossible_changes_start_nothing(office: Office, change: Continuation, error: type[AppError]) -> None:
    first = office.ask()
    told(office, first)
    with pytest.raises(error):
        go_on(office, replace(change, run_id=change.run_id or first), "Who developed KelpNet?")
    with pytest.raises(NotFoundError):
        go_on(office, Continuation(first, "plan", 1), "Who developed KelpNet?", "guarded")
    assert list(office.log.kept) == [first]


def test_every_node_of_every_workflow_can_be_gone_on_from() -> None:
    for workflow in workflows().values():
        for edge in draw(workflow).edges:
            if not edge.source.startswith("__"):
                begun = compile_workflow(workflow, edge.source)
                assert begun.builder.nodes.keys() == compile_workflow(workflow).builder.nodes.keys()
            for outcome in edge.outcomes:
                offered = outcomes_of(workflow.name, edge.source, outcome)
                assert edge.source not in CHECKS or set(offered) <= {"retry"}


def test_the_state_of_a_step_survives_being_stored() -> None:
    state = State(
        "q",
        "b",
        "t",
        "r",
        search=SearchState(
            Route.CHUNKS, query="x", hits=(Hit("c", 0.5, ("lexical",)),), rejected=(Rejected("d", 0.1, "why"),)
        ),
        draft=Draft("A [1].", (Citation(1, "c", "d", "n", 0, ((0, (1, 2, 3, 4)),), "A", 0.5),)),
        agent=AgentTurn((ToolUse("1", "find", "{}", "found"),)),
    )
    update = {name: getattr(state, name) for name in ("search", "draft", "agent", "language")}
    assert read(written(update)) == update
    for damaged in ("", "{", json.dumps({"search": 3}), json.dumps({"draft": {"answer": []}})):
        assert read(damaged) is None


def test_every_step_of_a_run_keeps_what_it_changed(office: Office) -> None:
    events: list[Event] = office.events(office.ask())
    assert all(read(event.update) is not None for event in events if isinstance(event, NodeFinished))
