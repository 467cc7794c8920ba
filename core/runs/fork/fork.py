"""Continues from a step of an earlier run: its events up to the step, and the state after it, with changes."""

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from core.agents.nodes.plan.route_query import SearchRoute
from core.agents.state import Note, Route, SearchState, State, Update
from core.agents.workflows.drawing import END, draw
from core.agents.workflows.registry import workflow_named, workflows
from core.platform.errors import InputError, NotFoundError
from core.runs.events import (
    AnswerReady,
    AnswerReset,
    ContinuedFrom,
    Event,
    EvidenceAssessed,
    ForgetOffered,
    FormsOffered,
    GraphTouched,
    MemoriesRecalled,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    Scored,
)
from core.runs.fork.state_codec import read, written
from core.runs.history.view import RunView, StepView
from core.runs.model import Continuation, RunRequest, RunStatus, Usage
from core.runs.ports import RunLog
from core.search.model import BY_READER, Citation, Hit, Rejected

CHANGED = "run.reason.changed_by_reader"
_TAKEN = (
    NodeStarted,
    NodeFinished,
    PassagesGraded,
    EvidenceAssessed,
    MemoriesRecalled,
    GraphTouched,
    AnswerReady,
    AnswerReset,
    FormsOffered,
    ForgetOffered,
)
"""Events that a new run takes over: not those of calls and costs, which it did not cause."""
_MARKER = re.compile(r"\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class TakenOver:
    events: tuple[Event, ...]
    fields: dict[str, Any]
    """Fields of the state after the step, with the reader's changes."""
    node: str

    def applied(self, state: State) -> State:
        return replace(state, **self.fields)


def taken_over(log: RunLog, request: RunRequest, wanted: Continuation) -> TakenOver:
    """Raises NotFoundError where the step is gone or its state was not kept, InputError for an impossible change."""
    source = log.get(wanted.run_id)
    visit = _until(log.events(wanted.run_id, 0), wanted)
    finished = visit[-1] if visit else None
    if source.workflow != request.workflow or not isinstance(finished, NodeFinished) or not finished.update:
        raise NotFoundError("run.continue_missing")
    if wanted.outcome and wanted.outcome not in outcomes_of(request.workflow, wanted.node, finished.outcome):
        raise InputError("run.continue_impossible")
    if wanted.answer and not is_checked_next(request.workflow, wanted.node):
        raise InputError("run.continue_impossible")
    before = State(request.question, request.base_id, "", "")
    state = _changed(_state(visit, before), wanted)
    events = [
        *_rewritten(visit, state, wanted),
        ContinuedFrom(wanted.run_id, wanted.node, wanted.attempt, wanted.changed),
    ]
    left = ("language", "resolved_question", "memory_ids", "search", "draft", "agent", "task", "note")
    return TakenOver(tuple(events), {name: getattr(state, name) for name in left}, wanted.node)


def _until(logged: Iterable[tuple[int, Event]], wanted: Continuation) -> list[Event]:
    """Events up to the end of the step; empty if the step never ended."""
    taken: list[Event] = []
    for _, event in logged:
        if isinstance(event, _TAKEN):
            taken.append(event)
        if isinstance(event, NodeFinished) and (event.node, event.attempt) == (wanted.node, wanted.attempt):
            return taken
    return []


def _state(events: Sequence[Event], state: State) -> State:
    for event in events:
        if isinstance(event, NodeFinished) and event.update:
            fields = read(event.update)
            if fields is None:
                raise NotFoundError("run.continue_missing")
            after: Update = {**fields, "note": Note(event.outcome, event.reason, event.details)}
            state = replace(state, **after)
    return state


def _changed(state: State, wanted: Continuation) -> State:
    if wanted.outcome:
        state = _turned(state, wanted.outcome)
    if wanted.question:
        state = replace(state, resolved_question=wanted.question)
    search, draft, agent = state.search, state.draft, state.agent
    if wanted.query:
        search = replace(search, query=wanted.query)
    if wanted.kept is not None:
        search = _with_evidence(search, wanted.kept)
    if wanted.answer:
        cited = _cited(draft.citations, wanted.answer)
        outcome = None if draft.outline else draft.outcome
        draft = replace(
            draft, answer=wanted.answer, citations=cited, unsupported=(), parts=(), outline=False, outcome=outcome
        )
    if wanted.arguments:
        if not all(map(_is_object, wanted.arguments)):
            raise InputError("run.continue_arguments")
        pairs = zip(agent.wanted, wanted.arguments, strict=False)
        agent = replace(agent, wanted=tuple(replace(call, arguments=arguments) for call, arguments in pairs))
    return replace(state, search=search, draft=draft, agent=agent)


def _is_object(arguments: str) -> bool:
    try:
        return isinstance(json.loads(arguments), dict)
    except (ValueError, RecursionError):
        return False


def _with_evidence(search: SearchState, chosen: Sequence[str]) -> SearchState:
    known = {it.chunk_id: Hit(it.chunk_id, it.score) for it in search.rejected}
    known |= {hit.chunk_id: hit for hit in (*search.hits, *search.kept)}
    kept = tuple(known[chunk_id] for chunk_id in chosen if chunk_id in known)
    dropped = tuple(Rejected(it.chunk_id, it.score, BY_READER) for it in search.kept if it not in kept)
    still = tuple(it for it in search.rejected if it.chunk_id not in chosen)
    gone = {it.chunk_id for it in dropped}
    hits = tuple(hit for hit in search.hits if hit.chunk_id not in gone)
    return replace(search, hits=hits, kept=kept, rejected=(*still, *dropped), in_doubt=search.in_doubt and not kept)


def _turned(state: State, outcome: str) -> State:
    """Sets another outcome; also the route or the type of task, if the outcome states it."""
    was = state.note.outcome
    search, task = state.search, state.task
    if search.route and was in {search.route, *(it for it in SearchRoute if it.route is search.route)}:
        route = Route(outcome) if outcome in set(Route) else SearchRoute(outcome).route
        search = replace(search, route=route)
    if task.type == was:
        task = replace(task, type=outcome)
    return replace(state, search=search, task=task, note=replace(state.note, outcome=outcome))


def _cited(citations: Sequence[Citation], answer: str) -> tuple[Citation, ...]:
    numbers = {int(number) for number in _MARKER.findall(answer)}
    return tuple(citation for citation in citations if citation.number in numbers)


def _rewritten(events: Sequence[Event], state: State, wanted: Continuation) -> list[Event]:
    """The events as if the step had ended in this way, without usage, which the earlier run counted."""
    rewritten: list[Event] = []
    since = max(at for at, event in enumerate(events) if isinstance(event, NodeStarted) and event.node == wanted.node)
    for at, event in enumerate(events):
        if isinstance(event, NodeFinished):
            changed = wanted.changed and at == len(events) - 1
            rewritten.append(_ended_as(event, state) if changed else replace(event, usage=Usage()))
        elif at < since:
            rewritten.append(event)
        else:
            rewritten += _within(event, state, wanted)
    return rewritten


def _within(event: Event, state: State, wanted: Continuation) -> list[Event]:
    """The event as changed by the reader; none for an answer that the step no longer gives."""
    match event:
        case PassagesGraded() if wanted.kept is not None:
            return [_regraded(event, wanted.kept)]
        case EvidenceAssessed() if wanted.kept is not None:
            return []
        case AnswerReady() if wanted.outcome:
            return []
        case AnswerReady() if wanted.answer:
            return [AnswerReady(wanted.answer, state.draft.citations)]
    return [event]


def _ended_as(event: NodeFinished, state: State) -> NodeFinished:
    kept = {name: getattr(state, name) for name in ("search", "draft", "agent", "task", "resolved_question")}
    update = written({**(read(event.update) or {}), **kept})
    return replace(event, outcome=state.note.outcome, reason=CHANGED, update=update, usage=Usage())


def _regraded(event: PassagesGraded, kept: Sequence[str]) -> PassagesGraded:
    every: dict[str, Scored] = {it.chunk_id: it for it in (*event.rejected, *event.kept)}
    chosen = tuple(replace(every[chunk_id], reason="") for chunk_id in kept if chunk_id in every)
    others = tuple(replace(it, reason=it.reason or BY_READER) for it in every.values() if it.chunk_id not in kept)
    return PassagesGraded(event.node, chosen, others)


MOST_PASSAGES = 20
CHECKS = {"guard": (), "evaluate_compliance": (), "check_answer": ("retry",), "grade_relevance": ("retry",)}
"""Outcomes of checks that a reader may choose; a result of a check cannot be overruled, only repeated."""
AGENTS = ("model", "call_model")
"""Nodes whose outcomes follow from the tool calls that they request."""


@dataclass(frozen=True, slots=True)
class Changeable:
    """Editable values of a step; empty if the step did not set them, or a later step depends on them."""

    node: str
    attempt: int
    outcomes: tuple[str, ...] = ()
    """Other outcomes than the actual one."""
    question: str = ""
    query: str = ""
    answer: str = ""
    passages: tuple[Scored, ...] = ()
    """Graded passages; those that count as evidence have no reason."""
    arguments: tuple[tuple[str, str], ...] = ()
    """(tool, JSON arguments) of the pending calls."""

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(passage.chunk_id for passage in self.passages if not passage.reason)


def changeables(view: RunView) -> list[Changeable | None]:
    """Editable values of each step; None if no run can continue from it."""
    if view.status is RunStatus.RUNNING or view.workflow not in workflows():
        return [None] * len(view.steps)
    found: list[Changeable | None] = []
    before: Update = {}
    for step in view.steps:
        update = read(step.update)
        possible = update is not None and step.seconds is not None and leads_on(view.workflow, step.node)
        found.append(_changeable(view, step, before, update) if update is not None and possible else None)
        before = {**before, **(update or {})}
    return found


def _changeable(view: RunView, step: StepView, before: Update, update: Update) -> Changeable:
    question = update.get("resolved_question", "")
    query = update["search"].query if "search" in update else ""
    answer = update["draft"].answer if "draft" in update else ""
    had_query = before["search"].query if "search" in before else ""
    had_answer = before["draft"].answer if "draft" in before else ""
    passages = (*step.kept, *step.rejected) if "search" in update else ()
    return Changeable(
        step.node,
        step.attempt,
        outcomes=outcomes_of(view.workflow, step.node, step.outcome),
        question=question if question != before.get("resolved_question", "") else "",
        query=query if query != had_query else "",
        answer=answer if answer != had_answer and is_checked_next(view.workflow, step.node) else "",
        passages=tuple({passage.chunk_id: passage for passage in passages if passage.page >= 0}.values())[
            :MOST_PASSAGES
        ],
        arguments=tuple((use.tool, use.arguments) for use in update["agent"].wanted) if "agent" in update else (),
    )


def outcomes_of(workflow: str, node: str, taken: str) -> tuple[str, ...]:
    """Other outcomes of the node that a reader may choose."""
    arrows = [
        outcome for edge in draw(workflow_named(workflow)).edges if edge.source == node for outcome in edge.outcomes
    ]
    if node in AGENTS or taken not in arrows:
        return ()
    return tuple(outcome for outcome in CHECKS.get(node, arrows) if outcome in arrows and outcome != taken)


def is_checked_next(workflow: str, node: str) -> bool:
    """Whether a check follows the node, so that a reader may rewrite its answer."""
    return any(edge.target in CHECKS for edge in draw(workflow_named(workflow)).edges if edge.source == node)


def leads_on(workflow: str, node: str) -> bool:
    """Whether anything but the end can follow the node."""
    return any(edge.source == node and edge.target != END for edge in draw(workflow_named(workflow)).edges)
