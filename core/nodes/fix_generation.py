"""Writes the answer again without what was found wrong with it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from core.domain.passages import Passage
from core.errors import BudgetError, ServiceError
from core.nodes.deciding import noted, write
from core.nodes.reading import evidence_of
from core.nodes.rules.citing import Numbering, citations_of, renumbered
from core.nodes.rules.compliance import without_sentences
from core.state import Deps, State, Update
from core.tasks import TextTask

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


@dataclass(frozen=True, slots=True)
class FixRequest:
    question: str
    language: str
    answer: str
    violations: tuple[str, ...]
    """Each with its dimension and the sentence at fault."""
    passages: tuple[Passage, ...] = ()
    """In the order of the answer's numbers."""


def _by_leaving_out(request: FixRequest) -> Iterator[str]:
    faulty = [violation.partition(": ")[2] for violation in request.violations]
    yield without_sentences(request.answer, faulty)


FIX = TextTask("fix_generation", _by_leaving_out)


def fix_generation(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    passages = evidence_of(state, deps)
    cited = [citation.chunk_id for citation in state.citations]
    ordered = sorted(passages, key=lambda p: cited.index(p.chunk.id) if p.chunk.id in cited else len(cited))
    question = state.resolved_question or state.question
    request = FixRequest(question, state.language, state.answer, state.violations, tuple(ordered))
    numbering = Numbering(len(ordered))
    answer, fault = _written(deps, request, numbering)
    shown = tuple(ordered[position] for position in numbering.order)
    note = noted("interrupted" if fault else "written", fault or "run.reason.fixed", violations=len(state.violations))
    return {
        "answer": answer,
        "citations": citations_of(answer, shown),
        "interrupted": bool(fault),
        "fixes": state.fixes + 1,
        "note": note,
    }


def _written(deps: Deps, request: FixRequest, numbering: Numbering) -> tuple[str, str]:
    """The text as far as it came, and the catalogue key of what broke it off, if anything."""
    said: list[str] = []
    try:
        for piece in renumbered(write(deps, FIX, request), numbering):
            said.append(piece)
    except (ServiceError, BudgetError) as error:
        deps.meter.degraded(FIX.name, error.key)
        return "".join(said).strip(), error.key
    return "".join(said).strip(), ""
