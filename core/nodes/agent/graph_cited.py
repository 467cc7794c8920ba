"""Cites an answer about entities by the passages that mention them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from core.builtin.graph.citing import cited
from core.builtin.quoting.citing import citations_of
from core.domain.knowledge import Entity
from core.domain.passages import Citation
from core.state import Deps

MOST_NAMED = 60
"""Limit of entities for which pages are looked up."""


def graph_cited(deps: Deps, base_id: str, topic: Sequence[Entity], answer: str) -> tuple[str, tuple[Citation, ...]]:
    """The answer with marks after its sentences, and what they stand for. topic: the entities in the question."""

    @cache
    def find(entity_ids: tuple[str, ...]) -> str:
        best = deps.graph.chunks_of(entity_ids, 1)
        return best[0][0] if best else ""

    named = deps.graph.named_in(base_id, answer, MOST_NAMED)
    marked, order = cited(answer, named, topic, find)
    by_id = {passage.chunk.id: passage for passage in deps.passages.get(order)}
    if len(by_id) < len(order):
        return answer, ()
    return marked, citations_of(marked, [by_id[chunk_id] for chunk_id in order])
