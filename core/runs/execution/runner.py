"""Runs a workflow's graph and turns its progress into events, the only output of a run."""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from core.agents.nodes.answer.nearest_passages import found_beside, standing_in
from core.agents.nodes.answer.without_model import without_model
from core.agents.state import Deps, Note, State
from core.agents.workflows.workflow import Compiled, recursion_limit
from core.platform.errors import AppError, CancelledError
from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    ConsentAsked,
    ConsentGiven,
    Event,
    ModelAsked,
    ModelCalled,
    NodeFinished,
    NodeStarted,
    PreferencesFollowed,
    RulesAnswered,
    RunFailed,
    RunFinished,
    RunStopped,
)
from core.runs.execution.preferred_forms import followed
from core.runs.fork.state_codec import written
from core.runs.history.view import STOPPED
from core.runs.model import Usage

_LOG = logging.getLogger(__name__)
Emit = Callable[[Event], None]


@dataclass(frozen=True, slots=True)
class Execution:
    """One run's graph and what it starts with."""

    graph: Callable[[], Compiled]
    state: State
    deps: Callable[[Emit], Deps]
    """Builds the run's dependencies around its event output."""
    before: tuple[Event, ...] = ()
    """Events of the run that this one continues."""
    spent: Usage = field(default_factory=Usage)
    """Usage by processes that answered the run before."""
    prepare: Callable[[Emit], None] | None = None
    """A step before the graph, whose time does not count as time to answer."""


def execute(execution: Execution, emit: Emit, clock: Callable[[], float] = time.perf_counter) -> None:
    """Runs to the end, whatever happens; the last event is one of END_EVENTS."""
    trace = _Trace(emit, clock, execution.spent)
    trace.take_over(execution.before)
    try:
        _stream(execution, trace)
        emit(RunFinished(str(trace.outcome), trace.elapsed(), trace.total))
    except CancelledError:
        emit(RunStopped(trace.elapsed()))
    except AppError as error:
        emit(RunFailed(error.key, tuple(error.params.items()), trace.elapsed()))
    except Exception as error:  # noqa: BLE001  # the one place that turns every other failure into a sentence
        _LOG.exception("a run failed")
        emit(replace(_failure(error), seconds=trace.elapsed()))


def _stream(execution: Execution, trace: _Trace) -> None:
    """Without LangGraph's checkpoints: runs are rebuilt from the event log, conversations are read from SQL."""
    if execution.prepare:
        trace.prepare(execution.prepare)
    graph, deps = execution.graph(), execution.deps(trace.passed)
    trace.deps = deps
    again = max(deps.max_corrections, 2 * deps.max_tool_rounds)  # twice: after fruitless rounds the rules begin
    config: Any = {"recursion_limit": recursion_limit(graph, again)}
    parts = graph.stream(
        execution.state,
        config,
        context=deps,
        stream_mode=["tasks"],
        version="v2",
    )
    for part in parts:
        if part["type"] == "tasks":
            trace.follow(part["data"])
        if deps.meter.cancelled():
            raise CancelledError("error.cancelled")
    if forms := followed(execution.state, deps, trace.answer, trace.outcome):
        deps.memories.touch([one.memory_id for one in forms], execution.state.run_id)
        trace.passed(PreferencesFollowed(forms))


class _Trace:
    """Matches starts and ends of nodes and counts what each used."""

    def __init__(self, emit: Emit, clock: Callable[[], float], spent: Usage) -> None:
        self._emit = emit
        self._clock = clock
        self._started_at = clock()
        self._attempts: Counter[str] = Counter()
        self._open: dict[str, str] = {}
        """Task id -> node."""
        self._since: dict[str, float] = {}
        """When the latest visit of each node started."""
        self._spent = Usage()
        """Since the last node ended."""
        self.total = spent
        self.outcome = ""
        self.answer = ""
        """The text shown last."""
        self._waits_since: float | None = None
        """Time of a question to the user that is not answered yet."""
        self._waited = 0.0
        self._shown = False
        """The reader sees at least a part of an answer."""
        self.deps: Deps | None = None
        self._state: State | None = None
        """Input of the latest node."""
        self._by_rules: AnswerReady | None = None
        """The answer of the rules, once it was shown."""

    def take_over(self, events: Sequence[Event]) -> None:
        """Emits the steps of an earlier run and counts their visits of nodes."""
        for event in events:
            if isinstance(event, NodeStarted):
                self._attempts[event.node] = event.attempt
            self._count(event)
            self._emit(event)

    def prepare(self, work: Callable[[Emit], None]) -> None:
        begun = self._clock()
        work(self.passed)
        self._waited += self._clock() - begun

    def elapsed(self) -> float:
        return self._now() - self._started_at

    def _now(self) -> float:
        """The clock without the time that a person took to decide."""
        now = self._clock()
        return now - self._waited - (0.0 if self._waits_since is None else now - self._waits_since)

    def passed(self, event: Event) -> None:
        """Passes on an event of a node. A node that contains an agent loop reports its visits itself."""
        match event:
            case NodeStarted():
                self._begin(event.node)
            case NodeFinished():
                self._finish(event.node, Note(event.outcome, event.reason, event.details))
            case _:
                if isinstance(event, ModelAsked):
                    self._show_rule_answer()
                self._count(event)
                self._wait(event)
                self._emit(event)

    def _show_rule_answer(self) -> None:
        """Shows the answer of the rules once a run, unless an answer is shown already; failures do not end the run."""
        if self._by_rules or self._shown or self.deps is None or self._state is None:
            return
        try:
            draft = without_model(self._state, self.deps)
        except CancelledError:
            raise
        except AppError as error:
            _LOG.warning("nothing is shown before the model: %s", error)
            return
        if draft:
            self._by_rules = self._with_passage(draft.published())
            self.deps.without_model.append(draft)
            self._emit(RulesAnswered(self._by_rules))

    def _count(self, event: Event) -> None:
        if isinstance(event, ModelCalled):
            self._spent += event.usage
            self.total += event.usage
        elif isinstance(event, AnswerDelta | AnswerReady):
            self._shown = True
            self.answer = event.text if isinstance(event, AnswerReady) else self.answer
        elif isinstance(event, AnswerReset):
            self._shown = False

    def _wait(self, event: Event) -> None:
        if isinstance(event, ConsentAsked):
            self._waits_since = self._clock()
        elif isinstance(event, ConsentGiven) and self._waits_since is not None:
            self._waited += self._clock() - self._waits_since
            self._waits_since = None

    def follow(self, data: Any) -> None:
        """A `tasks` part of the stream: one when a node starts, one when it ends."""
        if "result" not in data and "error" not in data:
            self._open[data["id"]] = data["name"]
            self._state = data["input"] if isinstance(data.get("input"), State) else self._state
            self._begin(data["name"])
        elif data["id"] in self._open:
            self._end(self._open.pop(data["id"]), data)

    def _begin(self, node: str) -> None:
        self._attempts[node] += 1
        self._since[node] = self._now()
        self._emit(NodeStarted(node, self._attempts[node]))

    def _end(self, node: str, data: Any) -> None:
        result = data.get("result") or {}
        if "draft" in result:
            self.outcome = result["draft"].outcome or self.outcome
        self._publish(result.get("shown"))
        if error := data.get("error"):
            self._finish(node, Note(STOPPED if isinstance(error, CancelledError) else "error"))
        else:
            self._finish(node, result.get("note", Note()), written(result))

    def _publish(self, answer: AnswerReady | AnswerReset | None) -> None:
        """Shows an answer to the reader or withdraws it; only pieces of an answer are emitted elsewhere."""
        match answer:
            case AnswerReady():
                self.passed(self._with_passage(answer))
            case AnswerReset() if self._shown:
                self.passed(answer)

    def _with_passage(self, answer: AnswerReady) -> AnswerReady:
        """The answer with the passage that it rests on, and those that the rules found beside a small model's."""
        if answer.passages or self.deps is None:
            return answer
        question = self._state.question if self._state else ""
        answer = replace(answer, stands_in=standing_in(question, answer.citations, self.deps))
        if self._by_rules is None or not self.deps.small_model or not answer.citations:
            return answer
        return replace(answer, beside=found_beside(answer, self._by_rules))

    def _finish(self, node: str, note: Note, update: str = "") -> None:
        seconds, attempt = self._now() - self._since[node], self._attempts[node]
        self._emit(NodeFinished(node, attempt, seconds, note.outcome, note.reason, note.details, self._spent, update))
        self._spent = Usage()


def _failure(error: Exception) -> RunFailed:
    from langgraph.errors import GraphRecursionError

    if isinstance(error, GraphRecursionError):
        return RunFailed("run.endless")
    return RunFailed("error.unexpected", (("kind", type(error).__name__),))
