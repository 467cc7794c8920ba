"""Reads what only imported graphs have: the order of their files, and pages on which entities do not meet."""

from collections.abc import Mapping, Sequence

from sqlalchemy import Connection, select

from core.graph.edits import Resolution
from core.graph.files.import_documents import PARSER
from core.graph.model import Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.sql.engine import ASKED, rows_of
from core.platform.sql.schema import documents, mentions


def imported_documents(connection: Connection, base_id: str) -> list[str]:
    """Ids of the documents of imported graphs, which state what occurs together."""
    wanted = select(documents.c.id).where(documents.c.base_id == base_id, documents.c.parser == PARSER)
    return list(connection.execute(wanted.order_by(documents.c.added_at, documents.c.id)).scalars())


def read_file_order(connection: Connection, base_id: str) -> dict[str, int]:
    """Entities of imported graphs with their places in the files; empty where there is none."""
    found: dict[str, int] = {}
    placed = select(mentions.c.entity_id, mentions.c.origin).where(mentions.c.origin.is_not(None))
    statement = placed.where(mentions.c.document_id.in_(ASKED))
    for entity_id, origin in rows_of(connection, statement, imported_documents(connection, base_id)):
        if origin.get("is_first"):
            found[entity_id] = min(origin["place"], found.get(entity_id, origin["place"]))
    return dict(sorted(found.items(), key=lambda item: (item[1], item[0])))


def shown_order(order: Mapping[str, int], resolution: Resolution) -> dict[str, int]:
    """Places by the shown entity, the first where several are merged."""
    shown: dict[str, int] = {}
    for id, place in order.items():
        if shown_as := resolution.of(id):
            shown.setdefault(shown_as, place)
    return shown


def connecting(connection: Connection, chunk_ids: Sequence[str], relations: Sequence[Relation]) -> list[str]:
    """Chunks without those of imported graphs whose page does not support that two entities occur together."""
    pages = {place for each in relations if each.relation == CO_OCCURS for place in each.pages}
    imported = select(mentions.c.chunk_id, mentions.c.document_id, mentions.c.page).distinct()
    imported = imported.join(documents, documents.c.id == mentions.c.document_id).where(documents.c.parser == PARSER)
    found = rows_of(connection, imported.where(mentions.c.chunk_id.in_(ASKED)), chunk_ids)
    left_out = {chunk_id for chunk_id, document_id, page in found if (document_id, page) not in pages}
    return [id for id in chunk_ids if id not in left_out]
