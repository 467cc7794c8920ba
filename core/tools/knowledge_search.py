"""Searches one knowledge base; what a title says weighs more than what the text says."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.domain.passages import Hit, Passage
from core.language.terms import content_terms
from core.ports import Library, Retriever

LIMIT = 15
TITLE_WEIGHT, CONTENT_WEIGHT = 0.6, 0.4
SHOWN = 600
"""Characters of a passage in the result."""


@dataclass(frozen=True, slots=True)
class Searched:
    text: str
    """For the agent: rank, similarity, title, content, source."""
    hits: tuple[Hit, ...] = ()
    best: float = 0.0
    """0..1: the similarity of the best hit."""


def knowledge_search(retriever: Retriever, library: Library, base_id: str, query: str) -> Searched:
    found = {hit.chunk_id: hit for hit in retriever.chunks(base_id, query, LIMIT)}
    passages = [replace(it, score=found[it.chunk.id].score) for it in library.passages(list(found))]
    if not passages:
        return Searched(f"Nothing found for '{query}'.")
    ranked = sorted(passages, key=lambda passage: (-_weight(query, passage), passage.chunk.id))
    best = max(passage.score for passage in ranked)
    text = "\n\n".join(_entry(rank, passage) for rank, passage in enumerate(ranked, 1))
    return Searched(text, tuple(found[passage.chunk.id] for passage in ranked), best)


def _weight(query: str, passage: Passage) -> float:
    wanted = set(content_terms(query))
    title = set(content_terms(" ".join((passage.document_name, *passage.chunk.section))))
    share = len(wanted & title) / len(wanted) if wanted else 0.0
    return TITLE_WEIGHT * share + CONTENT_WEIGHT * passage.score


def _entry(rank: int, passage: Passage) -> str:
    content = " ".join(passage.chunk.text.split())[:SHOWN]
    title = " > ".join(_titles(passage)) or passage.document_name
    source = f"{passage.document_name}, page {passage.chunk.page + 1}"
    return f"Rank {rank} | similarity {passage.score:.2f} | title: {title}\n{content}\nSource: {source}"


def _titles(passage: Passage) -> Sequence[str]:
    return passage.chunk.section
