"""Rewrites the answer without the violations that were found."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.agents.nodes.evidence import evidence_of
from core.agents.nodes.runtime import noted, stream_text, unseen
from core.agents.state import Deps, State, Update
from core.models.tasks import TextTask
from core.rulebook.assessing.attributing import with_missing_citations
from core.rulebook.assessing.citing import Numbering, citations_of, renumbered
from core.rulebook.checking.compliance import without_sentences
from core.search.model import Passage

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


@dataclass(frozen=True, slots=True)
class FixRequest:
    question: str
    language: str
    answer: str
    violations: tuple[str, ...]
    """Violations, each with its dimension and sentence."""
    passages: tuple[Passage, ...] = ()
    """Passages in the order of their citation numbers."""


def _by_leaving_out(request: FixRequest) -> Iterator[str]:
    faulty = [violation.partition(": ")[2] for violation in request.violations]
    yield without_sentences(request.answer, faulty)


FIX = TextTask("fix_generation", _by_leaving_out, max_tokens=3_000)


def fix_generation(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    passages = evidence_of(state, deps)
    cited = [citation.chunk_id for citation in state.draft.citations]
    ordered = sorted(passages, key=lambda p: cited.index(p.chunk.id) if p.chunk.id in cited else len(cited))
    question = state.standalone_question
    request = FixRequest(question, state.language, state.draft.answer, state.draft.violations, tuple(ordered))
    numbering = Numbering(len(ordered))
    written = unseen(deps, FIX.name, renumbered(stream_text(deps, FIX, request), numbering))
    answer, fault = written.text, written.fault
    shown = tuple(ordered[position] for position in numbering.order)
    citations = citations_of(answer, shown)
    if not citations:
        answer, citations = with_missing_citations(answer, ordered, deps.encoder)
    note = noted(
        "interrupted" if fault else "written", fault or "run.reason.fixed", violations=len(state.draft.violations)
    )
    fixed = replace(
        state.draft,
        answer=answer,
        citations=citations,
        interrupted=bool(fault),
        fixes=state.draft.fixes + 1,
    )
    return {"draft": fixed, "note": note}
