"""The second hop: from good chunks to the titles they name, and to chunks that mention the same rare entities."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from core.graph.ports import KnowledgeGraph
from core.platform.language.detect import is_unspaced
from core.search.model import Passage
from core.search.ports import LexicalIndex, Passages
from core.search.retrieval.first_hop import FirstHop, QuerySearch
from core.search.retrieval.names import names_in
from core.search.retrieval.ranking import Link, LinkKind

LINKED = 100
"""Chunks reachable through links of one kind."""
MOST_MENTIONS = 40
"""An entity with more mentions links nothing."""


class _Way(NamedTuple):
    source: str
    target: str
    kind: LinkKind
    rarity: float


class SecondHop:
    def __init__(self, passages: Passages, lexical_index: LexicalIndex, graph: KnowledgeGraph) -> None:
        self._passages = passages
        self._lexical_index = lexical_index
        self._graph = graph

    def follow(self, first: FirstHop, search: QuerySearch, scores: Mapping[str, float]) -> None:
        """Adds candidates that the sources link to. scores: of each source, 0..1."""
        if not scores:
            return
        passages = self._passages.get(list(scores))
        found = [passage.chunk.id for passage in passages]
        ways = [*self._by_title(search, passages), *self._by_entity(found)]
        first.add(search, {"graph": [way.target for way in ways]})
        for way in ways:
            target = search.candidates.get(way.target)
            if target:
                gain = search.weights.share(target.held - search.candidates[way.source].held)
                target.links.append(Link(scores[way.source], gain, way.rarity, way.kind))

    def _by_title(self, search: QuerySearch, passages: Sequence[Passage]) -> Iterator[_Way]:
        """Links to other documents only, because a text that repeats its own title proves nothing."""
        names = self._names(passages)
        wanted = list(dict.fromkeys(name for found in names.values() for name in found))
        homes: dict[str, list[tuple[str, str]]] = {}
        for id, document, name in self._lexical_index.titled(
            search.base_id, search.level, wanted, search.query, LINKED
        ):
            homes.setdefault(name, []).append((id, document))
        for passage in passages:
            for name in names[passage.chunk.id]:
                for target, document in homes.get(name, ()):
                    if document != passage.chunk.document_id:
                        yield _Way(passage.chunk.id, target, LinkKind.TITLE, len(homes[name]) ** -0.5)

    def _by_entity(self, chunk_ids: Sequence[str]) -> Iterator[_Way]:
        for source, target, spread in self._graph.sharing(chunk_ids, MOST_MENTIONS, LINKED):
            yield _Way(source, target, LinkKind.ENTITY, max(1, spread - 1) ** -0.5)

    def _names(self, passages: Sequence[Passage]) -> dict[str, list[str]]:
        """Possible names in each passage; in scripts without spaces, its entities mark where names begin and end."""
        unspaced = [passage.chunk.id for passage in passages if is_unspaced(passage.chunk.text)]
        entities = self._graph.of_chunks(unspaced) if unspaced else {}
        found = {passage.chunk.id: names_in(passage.chunk.text) for passage in passages}
        for chunk_id, own in entities.items():
            found[chunk_id] += [name for entity in own for name in (entity.name, *entity.aliases)]
        return found
