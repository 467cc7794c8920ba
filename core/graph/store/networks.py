"""Reads the relations of a knowledge base: what shares a chunk, what is stated, which chunks are no evidence."""

from collections.abc import Collection

from sqlalchemy import Connection, Select, bindparam, func, select

from core.documents.store.rows import to_relation
from core.graph.edits import Resolution
from core.graph.files.import_documents import PARSER
from core.graph.model import Relation
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import Packed, unpack_groups
from core.graph.network.network import Network, joined
from core.platform.sql.engine import batches
from core.platform.sql.schema import chunks, documents, incidences, mentions, relations

_READ_AT_ONCE = 16
"""Documents; their rows are large."""
_EVERY: Select[str, Packed] = (
    select(incidences.c.document_id, incidences.c.packed)
    .join(documents)
    .where(documents.c.base_id == bindparam("base"))
)
_ANY_STATED = select(relations.c.document_id).limit(1)
_Groups = dict[tuple[int, str], set[int]]
"""Numbers of the groups of an imported document, by page and entity."""


def read_network(connection: Connection, base_id: str) -> Network:
    """One of 100,000 mentions takes about 10 MB."""
    packed = connection.execute(_EVERY, {"base": base_id}).tuples().yield_per(_READ_AT_ONCE)
    return Network(Cooccurrence(packed), _stated(connection, base_id))


def _stated(connection: Connection, base_id: str) -> tuple[Relation, ...]:
    if connection.execute(_ANY_STATED).first() is None:  # SQLite would look for some of every document
        return ()
    statement = select(relations).join(documents).where(documents.c.base_id == base_id)
    rows = connection.execute(statement.order_by(relations.c.document_id, relations.c.position)).mappings()
    return joined(map(to_relation, rows))


def rejected(connection: Connection, resolution: Resolution) -> list[tuple[str, int, str, str]]:
    """As Cooccurrence.resolved() takes them; chunks that are gone are left out."""
    places = _places(connection, sorted({chunk_id for chunk_id, _, _ in resolution.rejected}))
    stated = _stated_groups(connection, {document_id for document_id, _, _ in places.values()})
    found: list[tuple[str, int, str, str]] = []
    for chunk_id, one, other in resolution.rejected:
        if chunk_id in places:
            document_id, number, page = places[chunk_id]
            numbers = {number}
            if document_id in stated:
                numbers = _of_any(stated[document_id], page, resolution.members(one))
                numbers &= _of_any(stated[document_id], page, resolution.members(other))
            found += [(document_id, each, one, other) for each in sorted(numbers)]
    return found


def _places(connection: Connection, chunk_ids: Collection[str]) -> dict[str, tuple[str, int, int]]:
    """By chunk: its document, its number among the chunks of the document that mention something, and its page."""
    found: dict[str, tuple[str, int, int]] = {}
    own = mentions.c.document_id, mentions.c.chunk_id
    rows = select(*own, func.min(mentions.c.page)).group_by(*own)
    for batch in batches(list(chunk_ids)):
        owners = select(chunks.c.document_id).where(chunks.c.id.in_(batch)).distinct()
        inside: dict[str, dict[str, int]] = {}
        for document_id, chunk_id, page in connection.execute(rows.where(mentions.c.document_id.in_(owners))):
            inside.setdefault(document_id, {})[chunk_id] = page
        for document_id, pages in inside.items():
            found |= {id: (document_id, number, pages[id]) for number, id in enumerate(sorted(pages))}
    return found


def _stated_groups(connection: Connection, document_ids: Collection[str]) -> dict[str, _Groups]:
    """Groups of the documents of imported graphs."""
    found: dict[str, _Groups] = {}
    packed = select(incidences.c.document_id, incidences.c.packed).join(documents).where(documents.c.parser == PARSER)
    for batch in batches(sorted(document_ids)):
        for document_id, row in connection.execute(packed.where(documents.c.id.in_(batch))):
            numbers = found.setdefault(document_id, {})
            for number, group in enumerate(unpack_groups(row)):
                for id in group.entity_ids:
                    numbers.setdefault((group.page, id), set()).add(number)
    return found


def _of_any(groups: _Groups, page: int, entity_ids: Collection[str]) -> set[int]:
    return set().union(*(groups.get((page, id), ()) for id in entity_ids))
