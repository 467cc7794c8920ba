"""Writes the graph agent's answer from what its tools said, streaming."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from core.domain.events import AnswerDelta
from core.domain.runs import Turn
from core.domain.tool_use import ToolUse
from core.errors import BudgetError, CancelledError, ServiceError
from core.nodes.deciding import write
from core.nodes.rules.graph_answers import from_tools
from core.state import Deps
from core.tasks import TextTask
from core.texts import text


@dataclass(frozen=True, slots=True)
class GraphAnswerRequest:
    question: str
    language: str
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Tools called, with what they said."""


def _by_listing(request: GraphAnswerRequest) -> Iterator[str]:
    return from_tools(request.question, request.language, request.names, request.used)


GRAPH_ANSWER = TextTask("graph_answer", _by_listing)


def graph_answer(deps: Deps, request: GraphAnswerRequest) -> tuple[str, str]:
    """The text as far as it came, and the catalogue key of what broke it off, if anything."""
    said: list[str] = []
    try:
        for piece in write(deps, GRAPH_ANSWER, request):
            said.append(piece)
            deps.emit(AnswerDelta(piece))
            if deps.meter.cancelled():
                raise CancelledError("error.cancelled")
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(GRAPH_ANSWER.name, error.key)
        said.append(f"\n\n{text('answer.interrupted', request.language)}")
        return "".join(said).strip(), error.key
    return "".join(said).strip(), ""
