"""Reads mentions with sentences and boxes, for the side panel, entities by where and when they are mentioned, which
chunks mention which entities, under the ids that are shown, and what only imported graphs have: the order of their
files, and pages on which entities do not meet.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime

from sqlalchemy import Connection, bindparam, distinct, func, select

from core.documents.model import CELL_BREAK, Chunk
from core.documents.store.rows import MENTION, mention_of, to_chunk, to_mention
from core.graph.edits import Resolution
from core.graph.files.import_documents import PARSER
from core.graph.model import Mention, MentionFilter, MentionView, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.store.resolved import ResolvedEntities, chunk_counts, members_of, shared_by_merged
from core.platform.language.sentences import row_spans
from core.platform.sql.engine import ASKED, rows_of
from core.platform.sql.schema import chunks, documents, entities, mentions

_OF_ENTITIES = (
    select(*(mentions.c[name] for name in MENTION))
    .where(mentions.c.entity_id.in_(ASKED))
    .order_by(mentions.c.document_id, mentions.c.position)
)
"""Read as tuples, because an export reads every mention of a base."""
_CHUNKS = select(chunks).where(chunks.c.id.in_(ASKED))
_OF_BASE = select(mentions.c.entity_id).join(documents, documents.c.id == mentions.c.document_id).distinct()


def views(connection: Connection, shown_as: Mapping[str, str], limit: int) -> list[MentionView]:
    """Mentions of the shown entities, in document order, then text order."""
    statement = (
        select(mentions, documents.c.name)
        .join(documents, documents.c.id == mentions.c.document_id)
        .where(mentions.c.entity_id.in_(list(shown_as)))
        .order_by(documents.c.added_at, documents.c.id, mentions.c.position)
        .limit(limit)
    )
    rows = connection.execute(statement).mappings().all()
    holding = rows_of(connection, _CHUNKS, {row["chunk_id"] for row in rows})
    texts = {row.id: to_chunk(row._mapping) for row in holding}
    return [
        _view(replace(to_mention(row), entity_id=shown_as[row["entity_id"]]), row["name"], texts[row["chunk_id"]])
        for row in rows
    ]


def of_entities(connection: Connection, shown_as: Mapping[str, str]) -> dict[str, list[Mention]]:
    """Mentions by the shown entity, in document order, then text order."""
    found: dict[str, list[Mention]] = {}
    for id, entity_id, *rest in rows_of(connection, _OF_ENTITIES, shown_as):
        shown = shown_as[entity_id]
        found.setdefault(shown, []).append(mention_of((id, shown, *rest)))
    return found


def _view(mention: Mention, document_name: str, chunk: Chunk) -> MentionView:
    sentence = _sentence(chunk.text, mention.start, mention.end)
    return MentionView(mention, document_name, sentence, chunk.boxes(mention.start, mention.end), chunk.enabled)


def _sentence(text: str, start: int, end: int) -> str:
    """The sentence or row of a table around the characters, or several if they cross its end."""
    around = [span for span in row_spans(text, CELL_BREAK) if span[0] < end and span[1] > start]
    return text[around[0][0] : around[-1][1]] if around else text[start:end]


def found(connection: Connection, base_id: str, where: MentionFilter) -> set[str]:
    """Ids of entities as the documents give them; `since` is ignored."""
    statement = _OF_BASE.where(documents.c.base_id == base_id)
    if where.document:
        statement = statement.where(mentions.c.document_id == where.document)
    if where.first_page:
        statement = statement.where(mentions.c.page >= where.first_page)
    if where.last_page >= 0:
        statement = statement.where(mentions.c.page <= where.last_page)
    if where.confidence:
        statement = statement.where(mentions.c.confidence >= where.confidence)
    return set(connection.execute(statement).scalars())


def known_before(connection: Connection, base_id: str, time: datetime) -> set[str]:
    """Ids of entities that documents ready before then mention."""
    earlier = _OF_BASE.where(documents.c.base_id == base_id, documents.c.ready_at < time)
    return set(connection.execute(earlier).scalars())


MOST_ASKED = 1_000
"""Entities per query for chunks."""
_OWN, _OTHER = mentions.alias("own"), mentions.alias("other")
_SHARING = (
    select(_OWN.c.entity_id, _OWN.c.chunk_id, _OTHER.c.chunk_id)
    .distinct()
    .join(entities, entities.c.id == _OWN.c.entity_id)
    .join(_OTHER, _OTHER.c.entity_id == _OWN.c.entity_id)
    .join(chunks, chunks.c.id == _OTHER.c.chunk_id)
    .where(_OWN.c.chunk_id.in_(ASKED), chunks.c.enabled)
    .where(entities.c.mentions.between(2, bindparam("most")))
)
_OF_CHUNKS = (
    select(mentions.c.chunk_id, mentions.c.entity_id)
    .where(mentions.c.chunk_id.in_(ASKED))
    .group_by(mentions.c.chunk_id, mentions.c.entity_id)
    .order_by(func.min(mentions.c.start_offset), mentions.c.entity_id)
)


def ids_of_chunks(connection: Connection, resolved: ResolvedEntities, chunk_ids: Sequence[str]) -> dict[str, list[str]]:
    """Every requested chunk, with its entities in the order of their first mention."""
    found: dict[str, list[str]] = {chunk_id: [] for chunk_id in chunk_ids}
    for chunk_id, entity_id in rows_of(connection, _OF_CHUNKS, found):
        found[chunk_id].append(entity_id)
    resolution = resolved.resolution_of_chunks(connection, chunk_ids)
    if not resolution.changes_entities:
        return found
    shown = {chunk_id: map(resolution.of, ids) for chunk_id, ids in found.items()}
    return {chunk_id: list(dict.fromkeys(id for id in ids if id)) for chunk_id, ids in shown.items()}


def chunks_of(
    connection: Connection, resolved: ResolvedEntities, entity_ids: Sequence[str], limit: int
) -> list[tuple[str, int]]:
    """Enabled chunks with the number of the entities that they mention, most first."""
    wanted = list(dict.fromkeys(entity_ids))[:MOST_ASKED]
    resolution = resolved.resolution_of(connection, wanted)
    if resolution.changes_entities:
        return chunk_counts(connection, members_of(resolution, wanted))[:limit]
    number = func.count(distinct(mentions.c.entity_id))
    statement = (
        select(mentions.c.chunk_id, number)
        .join(chunks, chunks.c.id == mentions.c.chunk_id)
        .where(mentions.c.entity_id.in_(wanted), chunks.c.enabled)
        .group_by(mentions.c.chunk_id)
        .order_by(number.desc(), func.count().desc(), mentions.c.chunk_id)
        .limit(limit)
    )
    return list(connection.execute(statement).tuples())


def sharing(
    connection: Connection, resolved: ResolvedEntities, chunk_ids: Sequence[str], most_mentions: int
) -> list[tuple[str, str, int]]:
    """Pairs of a requested chunk and another one, with the spread of the rarest entity that they share."""
    rows: list[tuple[str, str, str]] = []
    rows += rows_of(connection, _SHARING, dict.fromkeys(chunk_ids), most=most_mentions)
    resolution = resolved.resolution_of_chunks(connection, chunk_ids)
    if resolution.changes_entities:
        rows = [row for row in rows if resolution.of(row[0]) == row[0] not in resolution.parts]
    if resolution.parts:
        rows += shared_by_merged(connection, resolution, chunk_ids, most_mentions)
    return _rarest(rows)


def _rarest(rows: Sequence[tuple[str, str, str]]) -> list[tuple[str, str, int]]:
    """Result of rows of (entity, chunk, other chunk that mentions it), which include the chunk itself."""
    spread: dict[str, set[str]] = {}
    for entity_id, _, other in rows:
        spread.setdefault(entity_id, set()).add(other)
    pairs: dict[tuple[str, str], int] = {}
    for entity_id, chunk_id, other in rows:
        if chunk_id != other:
            known = pairs.get((chunk_id, other), len(spread[entity_id]))
            pairs[chunk_id, other] = min(known, len(spread[entity_id]))
    return sorted(((*pair, number) for pair, number in pairs.items()), key=lambda row: (row[2], row[0], row[1]))


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
