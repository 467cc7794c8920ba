"""Checks rows that nothing can make anew against what else is kept of them: a text is stored more than once, ids are
hashes of what they name, numbers are counted again, and events that are packed together carry a checksum.

A flipped byte in the words of an edit of the graph, of a stated relation or of an event remains unnoticed, and one that
only changes the case of a letter. A version that folds letters otherwise would find more titles, memories and names
changed. Ids of entities are not compared, because an entity that was named otherwise first keeps its id, nor which
sentences of a passage mention it, because versions divide texts otherwise.
"""

import json
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import JSON, Connection, Engine, LargeBinary, Select, String, Text, and_, cast, func, or_, select

from core.documents.store.rows import MENTION, mention_of
from core.graph.files.import_documents import PARSER as GRAPH
from core.graph.naming import mention_id
from core.graph.network.incidences import pack
from core.graph.store.graph_edits import to_edit
from core.platform.identity import SYSTEM, acting_as
from core.platform.ids import content_id, document_id
from core.platform.sql.columns import Words, name_key, normalized
from core.platform.sql.engine import is_sqlite, reading
from core.platform.sql.schema import (
    METADATA,
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    graph_edits,
    incidences,
    memories,
    mentions,
    messages,
    run_events,
    runs,
    threads,
)
from core.runs.store.event_codec import events_in

_ROWS = 1_000
_REPLACED = "\ufffd"
"""Stands for characters that the database cannot store; an id may have been made of them."""


class RecordPart(StrEnum):
    MESSAGES = "messages"
    TITLES = "titles"
    MEMORIES = "memories"
    EVENTS = "events"
    DOCUMENTS = "documents"
    PASSAGES = "passages"
    SPANS = "spans"
    MENTIONS = "mentions"
    NAMES = "names"
    COUNTS = "counts"
    INCIDENCES = "incidences"
    EDITS = "edits"


_TEXTS = (String, Words, JSON)
"""Types of columns that SQLite stores as text."""
_Rows = Select[*tuple[Any, ...]]
_Checks = Mapping[RecordPart, tuple[_Rows, Callable[..., bool]]]
_Places = dict[int, tuple[int, Any]]
"""Page and box of each block of a document."""


def changed_records(engine: Engine) -> dict[RecordPart, int]:
    """Number of changed rows by kind; kinds without any are left out."""
    with acting_as(SYSTEM), reading(engine) as connection:
        places_of = lru_cache(maxsize=1)(partial(_places, connection))
        checks: _Checks = {
            **_CHECKS,
            RecordPart.SPANS: (_SPANS, partial(_are_spans, places_of)),
            RecordPart.INCIDENCES: (_PACKED, partial(_is_packed, connection)),
        }
        counts = {part: _changed(connection, *check) for part, check in checks.items()}
    return {part: count for part, count in counts.items() if count}


def broken_texts(engine: Engine) -> dict[str, int]:
    """Number of texts with bytes that are no characters, by table and column; Postgres accepts none."""
    if not is_sqlite(engine):
        return {}
    stored = [column for table in METADATA.sorted_tables for column in table.c if isinstance(column.type, _TEXTS)]
    with acting_as(SYSTEM), reading(engine) as connection:
        counts = {
            f"{column.table.name}.{column.name}": _changed(connection, select(cast(column, LargeBinary)), _is_text)
            for column in stored
        }
    return {place: count for place, count in counts.items() if count}


def _is_text(stored: bytes | None) -> bool:
    """Raises ValueError for bytes that are no characters."""
    (stored or b"").decode()
    return True


def _changed(connection: Connection, statement: _Rows, is_right: Callable[..., bool]) -> int:
    rows = connection.execution_options(yield_per=_ROWS).execute(statement)
    return sum(not _holds(is_right, row) for row in rows)


def _holds(is_right: Callable[..., bool], row: Any) -> bool:
    try:
        return is_right(*row)
    except (ValueError, TypeError, KeyError, AttributeError):  # JSON that is broken or has another shape
        return False


def _is_kept(_id: str) -> bool:
    """Of a statement that finds what is not."""
    return False


def _is_searched(text: str, norm: str) -> bool:
    return normalized(text) == norm


def _is_readable(type: str, payload: str, packed: bytes | None) -> bool:
    return bool(events_in(type, json.loads(payload), packed))


def _is_document(id: str, base_id: str, sha256: str) -> bool:
    return id == document_id(base_id, sha256)


def _is_passage(id: str, document_id: str, place: int, text: str, original: str | None, parser: str) -> bool:
    first = original or text
    kind = () if parser == GRAPH else ("chunk",)
    return _REPLACED in first or id == content_id(*kind, document_id, str(place), first)


def _places(connection: Connection, document_id: str) -> _Places:
    rows = connection.execute(_BLOCKS.where(blocks.c.document_id == document_id))
    return {position: (page, json.loads(box or "null")) for position, page, box in rows}


def _are_spans(places_of: Callable[[str], _Places], document_id: str, spans: str, page: int, text: str) -> bool:
    """Whether they follow each other in the text and lie where their blocks do, the first one on the page."""
    found, places = json.loads(spans), places_of(document_id)
    ends = [0, *(end for start, stop, *_ in found for end in (start, stop)), len(text)]
    return (
        ends == sorted(ends)
        and page == (found[0][3] if found else 0)
        and all(places.get(block) == (page, box) for _, _, block, page, box in found)
    )


def _is_mention(id: str, surface: str, there: str, *place: Any) -> bool:
    return surface == there and id == mention_id(*place)


def _is_name(name: str, norm: str) -> bool:
    return name_key(name) == norm


def _is_counted(kept: int, kept_more: int, counted: int, counted_more: int) -> bool:
    return (kept, kept_more) == (counted, counted_more)


def _is_edit(kind: str, payload: str) -> bool:
    found = json.loads(payload)
    return bool(to_edit({"kind": kind, "payload": found}).entities) and found.keys() <= _OF_EDITS


def _is_packed(connection: Connection, document_id: str, packed: str) -> bool:
    rows = connection.execute(_MENTIONS.where(mentions.c.document_id == document_id))
    made, found = pack(mention_of([*row, None]) for row in rows), json.loads(packed)
    return all(found[name] == each for name, each in made.items())


_OF_EDITS = {"entities", "text", "chunk", "pages"}
_MENTIONS: _Rows = select(*(mentions.c[name] for name in MENTION[:-1]))
_BLOCKS: _Rows = select(blocks.c.position, blocks.c.page, cast(blocks.c.box, Text))
_SPANS: _Rows = select(chunks.c.document_id, cast(chunks.c.spans, Text), chunks.c.page, chunks.c.text).order_by(
    chunks.c.document_id
)
_PACKED: _Rows = (
    select(incidences.c.document_id, cast(incidences.c.packed, Text)).join(documents).where(documents.c.parser != GRAPH)
)
"""Of documents that were read; an imported graph says itself what belongs together."""
_OF_CHUNK = func.substr(chunks.c.text, mentions.c.start_offset + 1, mentions.c.end_offset - mentions.c.start_offset)
_CHECKS: _Checks = {
    RecordPart.MESSAGES: (
        select(messages.c.run_id)
        .join(runs, runs.c.id == messages.c.run_id)
        .where(
            or_(
                and_(messages.c.role == "user", messages.c.text != runs.c.question),
                and_(messages.c.role == "assistant", messages.c.text != runs.c.answer),
            )
        ),
        _is_kept,
    ),
    # an earlier version left out what is searched of a text
    RecordPart.TITLES: (select(threads.c.title, threads.c.title_norm).where(threads.c.title_norm != ""), _is_searched),
    RecordPart.MEMORIES: (
        select(memories.c.text, memories.c.text_norm).where(memories.c.text_norm != ""),
        _is_searched,
    ),
    RecordPart.EVENTS: (select(run_events.c.type, cast(run_events.c.payload, Text), run_events.c.packed), _is_readable),
    RecordPart.DOCUMENTS: (select(documents.c.id, documents.c.base_id, documents.c.sha256), _is_document),
    RecordPart.PASSAGES: (
        select(
            *(chunks.c.id, chunks.c.document_id, chunks.c.position, chunks.c.text, chunks.c.original),
            documents.c.parser,
        ).join(documents),
        _is_passage,
    ),
    RecordPart.MENTIONS: (
        select(
            *(mentions.c.id, mentions.c.surface, _OF_CHUNK, mentions.c.document_id, mentions.c.chunk_id),
            *(mentions.c.start_offset, mentions.c.end_offset, mentions.c.entity_id),
        ).join(chunks, chunks.c.id == mentions.c.chunk_id),
        _is_mention,
    ),
    RecordPart.NAMES: (select(entity_names.c.name, entity_names.c.norm), _is_name),
    RecordPart.COUNTS: (
        select(
            *(entities.c.mentions, entities.c.documents),
            *(func.count(mentions.c.id), func.count(mentions.c.document_id.distinct())),
        )
        .join(mentions, mentions.c.entity_id == entities.c.id, isouter=True)
        .group_by(entities.c.id),
        _is_counted,
    ),
    RecordPart.EDITS: (select(graph_edits.c.kind, cast(graph_edits.c.payload, Text)), _is_edit),
}
