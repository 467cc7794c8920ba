"""Rewrites the answer without the violations that were found; replies with a fixed text if that cannot be done."""

from collections.abc import Iterator
from dataclasses import dataclass, replace

from core.agents.nodes.check.compliance_rules import without_sentences
from core.agents.nodes.evidence import evidence_of
from core.agents.nodes.runtime import noted, stream_text, unseen
from core.agents.state import NodeRuntime, State, Update
from core.models.tasks import TextTask
from core.platform.texts import text
from core.rulebook.verification import Evidence, with_citations
from core.runs.model import AnswerOutcome
from core.search.model import Passage


@dataclass(frozen=True, slots=True)
class FixRequest:
    question: str
    language: str
    answer: str
    violations: tuple[str, ...]
    """Violations, each with its dimension and sentence."""
    passages: tuple[Passage, ...] = ()
    """In the order in which the answer was written from them, so that a model need not read them again."""


def _by_leaving_out(request: FixRequest) -> Iterator[str]:
    faulty = [violation.partition(": ")[2] for violation in request.violations]
    yield without_sentences(request.answer, faulty)


FIX = TextTask("fix_generation", _by_leaving_out, max_tokens=3_000)


def fix_generation(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    passages, question = evidence_of(state, deps), state.standalone_question
    request = FixRequest(question, state.language, state.draft.answer, state.draft.violations, passages)
    written = unseen(deps, FIX.name, stream_text(deps, FIX, request))
    cited = [citation.chunk_id for citation in state.draft.citations]
    own = [at for chunk_id in cited for at, passage in enumerate(passages) if passage.chunk.id == chunk_id]
    answer, citations = with_citations(written.text, Evidence(passages, deps.encoder, question=question), own)
    note = noted(
        "interrupted" if written.fault else "written",
        written.fault or "run.reason.fixed",
        violations=len(state.draft.violations),
    )
    fixed = replace(
        state.draft,
        answer=answer,
        citations=citations,
        interrupted=bool(written.fault),
        fixes=state.draft.fixes + 1,
    )
    return {"draft": fixed, "note": note}


def fallback_safe(state: State, runtime: NodeRuntime) -> Update:
    del runtime
    answer = text("answer.safe_reply", state.language)
    note = noted("safe_reply", "run.reason.safe_reply", fixes=state.draft.fixes, violations=len(state.draft.violations))
    draft = replace(state.draft, answer=answer, citations=(), outcome=AnswerOutcome.SAFE_REPLY)
    return draft.shown_with(note)
