"""The second hop: from good chunks to the titles that they name and to chunks that mention the same rare entities."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from core.domain.knowledge import Entity
from core.domain.passages import Passage
from core.ports import KnowledgeGraph, LexicalIndex, Library
from core.retrieval.first_hop import FirstHop, Search
from core.retrieval.names import names_in
from core.retrieval.ranking import Link, LinkKind, share

LINKED = 100
"""Chunks that the links of one kind may lead to."""
RARE = 20
"""An entity links the chunks that mention it when no more documents than this do."""


class _Way(NamedTuple):
    source: str
    target: str
    kind: LinkKind
    rarity: float


class SecondHop:
    def __init__(self, library: Library, lexical_index: LexicalIndex, graph: KnowledgeGraph) -> None:
        self._library = library
        self._lexical_index = lexical_index
        self._graph = graph

    def follow(self, first: FirstHop, search: Search, scores: Mapping[str, float]) -> None:
        """Adds to the search what the sources lead to; scores: of each source, 0..1."""
        passages = self._library.passages(list(scores))
        entities = self._graph.of_chunks([passage.chunk.id for passage in passages])
        ways = [*self._by_title(search, passages, entities), *self._by_entity(entities)]
        first.add(search, {"graph": [way.target for way in ways]})
        for way in ways:
            target = search.candidates.get(way.target)
            if target:
                gain = share(search.weight, target.held - search.candidates[way.source].held)
                target.links.append(Link(scores[way.source], gain, way.rarity, way.kind))

    def _by_title(
        self, search: Search, passages: Sequence[Passage], entities: Mapping[str, Sequence[Entity]]
    ) -> Iterator[_Way]:
        """To other documents: that a text repeats its own title says nothing."""
        names = {passage.chunk.id: _names(passage.chunk.text, entities[passage.chunk.id]) for passage in passages}
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

    def _by_entity(self, entities: Mapping[str, Sequence[Entity]]) -> Iterator[_Way]:
        rare = {
            entity.id: entity.documents for found in entities.values() for entity in found if entity.documents <= RARE
        }
        targets = self._graph.of_chunks([id for id, _ in self._graph.chunks_of(list(rare), LINKED)])
        holders: dict[str, list[str]] = {}
        for id, mentioned in targets.items():
            for entity in mentioned:
                holders.setdefault(entity.id, []).append(id)
        for source, found in entities.items():
            for entity in found:
                for target in holders.get(entity.id, ()) if entity.id in rare else ():
                    if target != source:
                        yield _Way(source, target, LinkKind.ENTITY, max(1, rare[entity.id]) ** -0.5)


def _names(text: str, entities: Iterable[Entity]) -> list[str]:
    known = [name for entity in entities for name in (entity.name, *entity.aliases)]
    return list(dict.fromkeys([*names_in(text), *known]))
