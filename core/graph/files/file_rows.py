"""Rows of kg_nodes.json and kg_edges.json, the files of a graph, as they are written. Pure functions."""

import json
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import combinations, islice

from core.graph.files.json_files import SURE
from core.graph.model import Alignment, Entity, Mention, Relation
from core.graph.network.cooccurrence import CO_OCCURS

BLOCK = 1_000
"""Rows written at once."""
Graph = Sequence[tuple[Entity, Sequence[Mention]]]
_ENCODER = json.JSONEncoder(ensure_ascii=False)
"""Made once: json.dumps makes one for every row."""
_Place = tuple[str, int]
"""(document id, page)."""


def node_rows(graph: Graph, labels: Mapping[str, str]) -> list[dict[str, object]]:
    """One row an entity, with its first mention: that of the file it was imported from, else by document and page.

    Imported entities come first, in the order of their file. labels names the documents by id; a document without a
    label goes by its id, equal labels get a part of it.
    """
    names = _unique_labels(graph, labels)
    distinct = _distinct(graph)
    ids = _ids(distinct)
    firsts = [(entity, _first(mentions, names)) for entity, mentions in distinct if mentions]
    firsts.sort(key=lambda each: (each[1].origin is None, each[1].origin.place if each[1].origin else 0))
    return [_node_row(ids[entity.id], entity, first, names) for entity, first in firsts]


def _first(mentions: Sequence[Mention], names: Mapping[str, str]) -> Mention:
    return min(mentions, key=lambda it: (*_origin_order(it), names[it.document_id], it.page, it.start, it.id))


def _origin_order(mention: Mention) -> tuple[bool, int]:
    """Sort key: the first rows of an imported file go before everything else."""
    origin = mention.origin
    return (False, origin.place) if origin and origin.is_first else (True, 0)


def _ids(graph: Graph) -> dict[str, str]:
    """Id of each entity in the file: that of the file it was imported from if no other entity has it, else its own."""
    given = {entity.id: _given_id(mentions) or entity.id for entity, mentions in graph}
    times = Counter([*given.values(), *(id for id, file_id in given.items() if id != file_id)])
    return {id: file_id if times[file_id] == 1 else id for id, file_id in given.items()}


def _given_id(mentions: Sequence[Mention]) -> str:
    origins = (mention.origin for mention in sorted(mentions, key=_origin_order))
    return next((origin.id for origin in origins if origin), "")


def _distinct(graph: Graph) -> list[tuple[Entity, list[Mention]]]:
    """One entry per (lowercase name, type), with the mentions of equal names combined."""
    merged: dict[tuple[str, str], tuple[Entity, list[Mention]]] = {}
    for entity, mentions in graph:
        merged.setdefault((entity.name.lower(), entity.type), (entity, []))[1].extend(mentions)
    return list(merged.values())


def _shown_as(graph: Graph) -> dict[str, str]:
    """Id of the first entity with the same name and type, which represents all of them, by entity."""
    first: dict[tuple[str, str], str] = {}
    return {entity.id: first.setdefault((entity.name.lower(), entity.type), entity.id) for entity, _ in graph}


def _node_row(id: str, entity: Entity, first: Mention, names: Mapping[str, str]) -> dict[str, object]:
    """Row of an entity. Its alignment is exact unless the file that it was imported from says otherwise."""
    origin = first.origin
    row: dict[str, object] = {
        "id": id,
        "name": entity.name,
        "type": entity.type,
        "source_doc": names[first.document_id],
        "char_start": origin.char_start if origin else first.start,
        "char_end": origin.char_end if origin else first.end,
        "confidence": (origin.alignment or first.confidence) if origin else Alignment.EXACT.value,
        "page": first.page,
    }
    if origin is None:
        row["score"] = round(min(1.0, max(0.0, first.confidence)), 4)
    elif origin.alignment and first.confidence != SURE[origin.alignment]:
        row["score"] = first.confidence
    return row


def edge_rows(
    graph: Graph,
    labels: Mapping[str, str],
    stated: Iterable[Relation] = (),
    rejected: Collection[tuple[str, str, str]] = (),
    imported: Collection[str] = (),
) -> Iterator[dict[str, object]]:
    """All pairs of the entities of a page, source before target as strings, once for each document and page.

    Then the stated relations, once for each page that states them; one without pages where its source is mentioned
    first. rejected: (chunk, entity, other entity), the entities in the order of their ids; a page whose passages are
    all rejected for a pair has no row of it.
    imported: ids of documents whose co-occurrence is stated instead.
    Grows with the square of the entities of a page: written row by row, never held.
    """
    names = _unique_labels(graph, labels)
    distinct = _distinct(graph)
    ids, shown_as = _ids(distinct), _shown_as(graph)
    given = {id: ids[first] for id, first in shown_as.items()}
    dropped = _dropped(graph, given, rejected)
    pages: dict[_Place, set[str]] = {}
    for entity, mentions in distinct:
        for mention in mentions:
            if mention.document_id not in imported:
                pages.setdefault((mention.document_id, mention.page), set()).add(given[entity.id])
    for (document_id, page), inside in sorted(pages.items(), key=lambda item: (names[item[0][0]], item[0][1])):
        for source, target in combinations(sorted(inside), 2):
            if (document_id, page, source, target) not in dropped:
                yield _edge_row(source, target, CO_OCCURS, names[document_id], page)
    firsts = {ids[entity.id]: _first(mentions, names) for entity, mentions in distinct if mentions}
    for _, name, page, source, target, relation in sorted(_places(stated, given, names, firsts)):
        yield _edge_row(source, target, relation, name, page)


def _places(
    stated: Iterable[Relation], given: Mapping[str, str], names: Mapping[str, str], firsts: Mapping[str, Mention]
) -> set[tuple[bool, str, int, str, str, str]]:
    """Sort keys, one for each page that states a relation, co-occurrence first. firsts: mentions by id in the file."""
    found: set[tuple[bool, str, int, str, str, str]] = set()
    for each in stated:
        source, target = given.get(each.source_id), given.get(each.target_id)
        if source is None or target is None or source == target:
            continue
        together = each.relation == CO_OCCURS
        ends = _sorted(source, target) if together else (source, target)
        pages = [place for place in each.pages if place[0] in names]
        if not pages and source in firsts:
            pages = [(firsts[source].document_id, firsts[source].page)]
        for document_id, page in pages:
            found.add((not together, names[document_id], page, *ends, each.relation))
    return found


def _edge_row(source: str, target: str, relation: str, document: str, page: int) -> dict[str, object]:
    return {"source": source, "target": target, "relation": relation, "doc_id": document, "page": page}


def _dropped(
    graph: Graph, given: Mapping[str, str], rejected: Collection[tuple[str, str, str]]
) -> set[tuple[str, int, str, str]]:
    """(document, page, id in the file, other id) of pairs that no passage of the page connects any more.

    given: the id in the file of every entity; several have the same one.
    """
    pairs = {_sorted(given[one], given[other]) for _, one, other in rejected if one in given and other in given}
    asked = {id for pair in pairs for id in pair}
    inside: dict[str, dict[tuple[str, int], set[tuple[str, str]]]] = {}
    for entity, mentions in graph:
        for mention in mentions if given[entity.id] in asked else ():
            places = inside.setdefault(given[entity.id], {})
            places.setdefault((mention.document_id, mention.page), set()).add((mention.chunk_id, entity.id))
    found: set[tuple[str, int, str, str]] = set()
    for source, target in pairs:
        for place, mentioned in inside.get(source, {}).items():
            others = inside.get(target, {}).get(place, set())
            shared = {(chunk, *_sorted(id, other)) for chunk, id in mentioned for at, other in others if at == chunk}
            if shared and shared <= set(rejected):
                found.add((*place, source, target))
    return found


def _sorted(one: str, other: str) -> tuple[str, str]:
    return (one, other) if one < other else (other, one)


def _unique_labels(graph: Graph, labels: Mapping[str, str]) -> dict[str, str]:
    ids = sorted({mention.document_id for _, mentions in graph for mention in mentions})
    wanted = Counter(labels.get(id) or id for id in ids)
    return {id: name if wanted[name] == 1 else f"{name} ({id[:8]})" for id in ids for name in [labels.get(id) or id]}


def json_blocks(rows: Iterable[Mapping[str, object]]) -> Iterator[str]:
    """A JSON array, one row a line, in pieces of many rows."""
    lines = map(_ENCODER.encode, rows)
    before = "[\n"
    while block := list(islice(lines, BLOCK)):
        yield before + ",\n".join(block)
        before = ",\n"
    yield "[\n]\n" if before == "[\n" else "\n]\n"
