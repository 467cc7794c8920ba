"""A graph that came as files, as documents of a knowledge base: one document a source, one chunk a page.

A chunk's text is the page's names, one a line, so that every entity has a mention to point at. What is related is what
the edges say, and nothing else.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence

from core.documents.model import Block, Chunk, Span
from core.documents.ports.publishing import Publication
from core.graph.files.json_files import EdgeRow, NodeRow
from core.graph.model import CooccurrenceGroup, Entity, Mention, Origin, Relation
from core.graph.naming import entity_id, exact_entity_id, mention_id
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.ids import content_id

PARSER = "kg_nodes.json"
"""The parser of a document that was imported as part of a graph."""
STATED_WEIGHT = 1.0
_Pair = tuple[str, str]


class ImportedGraph:
    def __init__(self, base_id: str, nodes: Sequence[NodeRow], edges: Sequence[EdgeRow]) -> None:
        self._base_id = base_id
        self.entity_ids = entity_ids(base_id, nodes)
        """Ids of entities by the ids of nodes; nodes of one name and type are one entity."""
        self._rows = {row.id: row for row in nodes}
        self._place = {row.id: place for place, row in enumerate(nodes)}
        self._nodes: defaultdict[str, list[NodeRow]] = defaultdict(list)
        self._edges: defaultdict[str, list[EdgeRow]] = defaultdict(list)
        for row in nodes:
            self._nodes[row.source_doc].append(row)
        for edge in edges:
            if self.entity_ids[edge.source] != self.entity_ids[edge.target]:
                self._edges[edge.doc_id].append(edge)
        self.sources = tuple(dict.fromkeys([row.source_doc for row in nodes] + [edge.doc_id for edge in edges]))
        """Names of the documents that the rows refer to, in order of appearance."""

    def relations(self) -> set[tuple[str, str, str]]:
        """(source, target, relation) of what the edges say, each once; pairs that occur together in order."""
        every = (edge for edges in self._edges.values() for edge in edges)
        return {(*self._ends(edge), edge.relation) for edge in every}

    def publication(self, document_id: str, source: str) -> Publication:
        """Everything that the rows contain about one source document."""
        pages = sorted(self._pages(source).items())
        parts = [self._page(document_id, source, index, *each) for index, each in enumerate(pages)]
        mentions = tuple(mention for _, _, found in parts for mention in found)
        return Publication(
            document_id=document_id,
            title=source.strip() or PARSER,
            language="en",
            parser=PARSER,
            pages=max((page for page, _ in pages), default=-1) + 1,
            notes=(),
            blocks=tuple(block for block, _, _ in parts),
            chunks=tuple(chunk for _, chunk, _ in parts),
            summaries=(),
            entities=tuple(self._entities({id for _, inside in pages for id in inside})),
            mentions=mentions,
            relations=tuple(self._stated(document_id, source)),
            cooccurrence=tuple(self._groups(source, pages)),
        )

    def _pages(self, source: str) -> dict[int, set[str]]:
        """Ids of the nodes on each page: where a node was first seen, and where an edge joins it."""
        pages: defaultdict[int, set[str]] = defaultdict(set)
        for row in self._nodes[source]:
            pages[row.page].add(row.id)
        for edge in self._edges[source]:
            pages[edge.page].update((edge.source, edge.target))
        return pages

    def _page(
        self, document_id: str, source: str, index: int, page: int, node_ids: set[str]
    ) -> tuple[Block, Chunk, list[Mention]]:
        rows = self._ordered(node_ids)
        text = "\n".join(row.name for row in rows)
        chunk_id = content_id(document_id, str(index), text)
        mentions: list[Mention] = []
        start = 0
        for row in rows:
            end, entity = start + len(row.name), self.entity_ids[row.id]
            id = mention_id(document_id, chunk_id, start, end, entity)
            is_first = (row.source_doc, row.page) == (source, page)
            numbers = row.char_start, row.char_end, row.page, self._place[row.id]
            origin = Origin(row.id, row.alignment, *numbers, is_first)
            place = document_id, chunk_id, page, start, end
            mentions.append(Mention(id, entity, *place, row.name, row.confidence, origin))
            start = end + 1
        chunk = Chunk(chunk_id, document_id, index, text, (), (Span(0, len(text), index, page, None),))
        return Block(index, page, "text", text), chunk, mentions

    def _ordered(self, node_ids: Iterable[str]) -> list[NodeRow]:
        """The rows of the nodes, in the order of the file."""
        return [self._rows[id] for id in sorted(node_ids, key=self._place.__getitem__)]

    def _entities(self, node_ids: Iterable[str]) -> Iterator[Entity]:
        """Entities, each with the name of its first node."""
        seen: set[str] = set()
        for row in self._ordered(node_ids):
            if (id := self.entity_ids[row.id]) not in seen:
                seen.add(id)
                yield Entity(id, self._base_id, row.name, row.type)

    def _stated(self, document_id: str, source: str) -> Iterator[Relation]:
        """Relations other than co-occurrence, with every page that states them."""
        pages: dict[tuple[str, str, str], dict[int, None]] = {}
        for edge in self._edges[source]:
            if edge.relation != CO_OCCURS:
                pages.setdefault((*self._ends(edge), edge.relation), {})[edge.page] = None
        for key, numbers in pages.items():
            yield Relation(*key, STATED_WEIGHT, tuple((document_id, page) for page in numbers))

    def _groups(self, source: str, pages: Iterable[tuple[int, set[str]]]) -> Iterator[CooccurrenceGroup]:
        pairs: defaultdict[int, set[_Pair]] = defaultdict(set)
        for edge in self._edges[source]:
            if edge.relation == CO_OCCURS:
                pairs[edge.page].add(self._ends(edge))
        for page, node_ids in pages:
            for members in groups({self.entity_ids[id] for id in node_ids}, pairs[page]):
                yield CooccurrenceGroup(page, members)

    def _ends(self, edge: EdgeRow) -> _Pair:
        one, other = self.entity_ids[edge.source], self.entity_ids[edge.target]
        return (other, one) if edge.relation == CO_OCCURS and other < one else (one, other)


def entity_ids(base_id: str, nodes: Iterable[NodeRow]) -> dict[str, str]:
    """By the id of a node, its entity: that of the base with this name and type.

    Names that are equal there but not in the file, such as singular and plural, stay apart: the first one is that of
    the base, the others get entities of their own.
    """
    found: dict[str, str] = {}
    named: dict[str, tuple[str, str]] = {}
    for row in nodes:
        key = row.name.lower(), row.type
        id = entity_id(base_id, row.name, row.type)
        found[row.id] = id if named.setdefault(id, key) == key else exact_entity_id(base_id, row.name, row.type)
    return found


def groups(members: Iterable[str], pairs: Iterable[_Pair]) -> list[tuple[str, ...]]:
    """Entities each two of which are a pair, together; every other pair alone, and who is in no pair alone.

    A page of the usual file, on which every two occur together, is one group: its pairs are never stored.
    """
    near: dict[str, set[str]] = {id: set() for id in members}
    for one, other in pairs:
        near[one].add(other)
        near[other].add(one)
    found: list[tuple[str, ...]] = []
    seen: set[str] = set()
    for id in near:
        if id not in seen:
            connected = _connected(near, id)
            seen |= connected
            if all(len(near[each]) == len(connected) - 1 for each in connected):
                found.append(tuple(sorted(connected)))
            else:
                found += [(one, other) for one in connected for other in near[one] if one < other]
    return sorted(found)


def _connected(near: Mapping[str, set[str]], id: str) -> set[str]:
    """An entity and all that pairs lead to from it."""
    found, ring = {id}, {id}
    while ring:
        ring = {other for each in ring for other in near[each]} - found
        found |= ring
    return found
