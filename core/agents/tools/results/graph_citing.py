"""Cites an answer about entities by the passages that mention those of each sentence."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from core.agents.state import Deps
from core.graph.model import Entity
from core.rulebook.assessing.citing import citations_of
from core.rulebook.graph.citing import cited
from core.search.model import Citation

MOST_NAMED = 60
"""Limit of entities for which pages are looked up."""


def with_citations(
    deps: Deps, base_id: str, answer: str, topic: Sequence[Entity] = ()
) -> tuple[str, tuple[Citation, ...]]:
    """topic: entities of the question, which count in a sentence that names one other."""

    @cache
    def find(entity_ids: tuple[str, ...]) -> str:
        best = deps.graph.chunks_of(entity_ids, 1)
        return best[0][0] if best else ""

    marked, order = cited(answer, deps.graph.named_in(base_id, answer, MOST_NAMED), topic, find)
    by_id = {passage.chunk.id: passage for passage in deps.passages.get(order)}
    if len(by_id) < len(order):
        return answer, ()
    return marked, citations_of(marked, [by_id[chunk_id] for chunk_id in order])
