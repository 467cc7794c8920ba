"""Loads the passages of search hits for nodes and for the trace."""

from collections.abc import Sequence

from core.agents.state import Deps, State
from core.documents.model import Chunk
from core.rulebook.evidence import EvidenceAssessment, assess
from core.runs.events import Scored
from core.search.model import Hit, Passage
from core.search.ports import WebResult

SHORT = "run.reason.evidence_short"
"""Reason if the passages are not likely enough to answer."""
SHOWN_CHARACTERS, REJECTED_CHARACTERS = 320, 200
"""Characters of kept and rejected passages in the trace. Most are rejected, and took half of a run's log."""


def view_of(question: str, passages: Sequence[Passage], deps: Deps) -> EvidenceAssessment:
    """The assessment of the passages for the question, computed once a run."""
    key = (question, tuple(passages))
    if key not in deps.views:
        readings, beside = deps.readings, deps.passages.beside
        deps.views[key] = assess(question, passages, deps.encoder, readings, beside, deps.cross_encoder)
    view: EvidenceAssessment = deps.views[key]
    return view


def passages_of(hits: Sequence[Hit], deps: Deps) -> tuple[Passage, ...]:
    """Passages in the order of the hits, with scores, without deleted ones; each is loaded once a run."""
    by_id = {hit.chunk_id: hit for hit in hits}
    if unread := [chunk_id for chunk_id in by_id if chunk_id not in deps.read]:
        deps.read.update((passage.chunk.id, passage) for passage in deps.passages.get(unread))
    return tuple(
        Passage((read := deps.read[chunk_id]).chunk, read.document_name, hit.score, hit.sources, read.url)
        for chunk_id, hit in by_id.items()
        if chunk_id in deps.read
    )


def evidence_of(state: State, deps: Deps) -> tuple[Passage, ...]:
    """Evidence for the answer: web results if the web was searched, else the kept passages."""
    if state.search.web:
        return tuple(_of_web(number, result) for number, result in enumerate(state.search.web, 1))
    return passages_of(state.search.kept, deps)


def surely_answers(state: State, deps: Deps) -> bool:
    """Whether the draft is a model's, of the web, or quotes that are likely enough to answer."""
    if not state.draft.quoted or state.search.web:
        return True
    return view_of(state.standalone_question, evidence_of(state, deps), deps).is_answered


def _of_web(number: int, result: WebResult) -> Passage:
    """A web result as a passage without a document."""
    chunk = Chunk(f"web-{number}", "", number - 1, result.text, (), ())
    return Passage(chunk, result.title, 0.5 if result.score is None else result.score, ("web",), result.url)


def shown(passage: Passage, reason: str = "") -> Scored:
    text, limit = " ".join(passage.chunk.text.split()), REJECTED_CHARACTERS if reason else SHOWN_CHARACTERS
    return Scored(
        chunk_id=passage.chunk.id,
        document_name=passage.document_name,
        page=passage.chunk.page,
        text=text if len(text) <= limit else f"{text[:limit]} …",
        score=passage.score,
        sources=passage.sources,
        reason=reason,
    )
