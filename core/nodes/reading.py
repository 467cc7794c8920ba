"""The passages of hits as nodes read them, and as the trace shows them."""

from collections.abc import Sequence
from dataclasses import replace

from core.domain.documents import Chunk
from core.domain.events import Scored
from core.domain.passages import Hit, Passage
from core.ports import Library, WebResult
from core.state import Deps, State

SHOWN_CHARACTERS = 320


def passages_of(hits: Sequence[Hit], library: Library) -> tuple[Passage, ...]:
    """In the order of the hits, with their scores; those that are gone are left out."""
    by_id = {hit.chunk_id: hit for hit in hits}
    found = library.passages(list(by_id))
    return tuple(
        replace(passage, score=by_id[passage.chunk.id].score, sources=by_id[passage.chunk.id].sources)
        for passage in found
    )


def evidence_of(state: State, deps: Deps) -> tuple[Passage, ...]:
    """What the answer may rest on: the results of the web where it was searched, else the kept passages."""
    if state.web:
        return tuple(_of_web(number, result) for number, result in enumerate(state.web, 1))
    return passages_of(state.kept, deps.library)


def _of_web(number: int, result: WebResult) -> Passage:
    """A result as a passage without a document."""
    chunk = Chunk(f"web-{number}", "", number - 1, result.text, (), ())
    return Passage(chunk, result.title, 0.5 if result.score is None else result.score, ("web",), result.url)


def shown(passage: Passage, reason: str = "") -> Scored:
    text = " ".join(passage.chunk.text.split())
    return Scored(
        chunk_id=passage.chunk.id,
        document_name=passage.document_name,
        page=passage.chunk.page,
        text=text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]} …",
        score=passage.score,
        sources=passage.sources,
        reason=reason,
    )
