"""A graph that came as files, as documents of a knowledge base: one document a source, one chunk a page.

A chunk's text is the page's names, one a line, so that every entity has a mention to point at and co-occurrence is
derived as for any other document.
"""

from collections.abc import Iterator, Sequence

from core.domain.documents import Block, Chunk, Span
from core.domain.ids import content_id
from core.domain.knowledge import Entity, Mention, Origin, Relation
from core.kg.files import CO_OCCURS, EdgeRow, NodeRow
from core.kg.naming import entity_id, mention_id
from core.ports.publishing import Publication

PARSER = "kg_nodes.json"
_Pages = dict[int, dict[str, NodeRow]]


def sources(nodes: Sequence[NodeRow], edges: Sequence[EdgeRow]) -> list[str]:
    """Names of the documents that the rows refer to, in order of appearance."""
    return list(dict.fromkeys([row.source_doc for row in nodes] + [row.doc_id for row in edges]))


def publication(
    base_id: str, document_id: str, source: str, nodes: Sequence[NodeRow], edges: Sequence[EdgeRow]
) -> Publication:
    """What the rows contain about one source document."""
    pages = _pages(source, nodes, edges)
    order = {row.id: place for place, row in enumerate(nodes)}
    ordered = [(page, sorted(rows.values(), key=lambda row: order[row.id])) for page, rows in sorted(pages.items())]
    parts = [_page(base_id, document_id, index, page, rows) for index, (page, rows) in enumerate(ordered)]
    entities = {entity.id: entity for _, _, found, _ in parts for entity in found}
    return Publication(
        document_id=document_id,
        title=source.strip() or PARSER,
        language="en",
        parser=PARSER,
        pages=max(pages, default=-1) + 1,
        notes=(),
        blocks=tuple(block for block, _, _, _ in parts),
        chunks=tuple(chunk for _, chunk, _, _ in parts),
        summaries=(),
        entities=tuple(entities.values()),
        mentions=tuple(mention for _, _, _, found in parts for mention in found),
        relations=tuple(_stated(base_id, document_id, source, nodes, edges)),
    )


def _pages(source: str, nodes: Sequence[NodeRow], edges: Sequence[EdgeRow]) -> _Pages:
    """Which entities are on which page: where a node was first seen, and where an edge joins it."""
    by_id = {row.id: row for row in nodes}
    pages: _Pages = {}
    for row in nodes:
        if row.source_doc == source:
            pages.setdefault(row.page, {})[row.id] = row
    for edge in edges:
        if edge.doc_id == source:
            pages.setdefault(edge.page, {}).update({edge.source: by_id[edge.source], edge.target: by_id[edge.target]})
    return pages


def _page(
    base_id: str, document_id: str, index: int, page: int, ordered: Sequence[NodeRow]
) -> tuple[Block, Chunk, list[Entity], list[Mention]]:
    """Names in the order of the file."""
    text = "\n".join(row.name for row in ordered)
    chunk_id = content_id(document_id, str(index), text)
    entities: list[Entity] = []
    mentions: list[Mention] = []
    start = 0
    for row in ordered:
        end, found = start + len(row.name), entity_id(base_id, row.name, row.type)
        entities.append(Entity(found, base_id, row.name, row.type))
        mention = mention_id(document_id, chunk_id, start, end, found)
        origin = Origin(row.id, row.alignment, row.char_start, row.char_end)
        mentions.append(
            Mention(mention, found, document_id, chunk_id, page, start, end, row.name, row.confidence, origin)
        )
        start = end + 1
    chunk = Chunk(chunk_id, document_id, index, text, (), (Span(0, len(text), index, page, None),))
    return Block(index, page, "text", text), chunk, entities, mentions


def _stated(
    base_id: str, document_id: str, source: str, nodes: Sequence[NodeRow], edges: Sequence[EdgeRow]
) -> Iterator[Relation]:
    """Edges other than co-occurrence, which is derived."""
    ids = {row.id: entity_id(base_id, row.name, row.type) for row in nodes}
    places: dict[tuple[str, str, str], list[tuple[str, int]]] = {}
    for edge in edges:
        if edge.doc_id == source and edge.relation != CO_OCCURS:
            key = (ids[edge.source], ids[edge.target], edge.relation)
            places.setdefault(key, []).append((document_id, edge.page))
    for (start, end, relation), pages in places.items():
        yield Relation(start, end, relation, 1.0, tuple(pages))
