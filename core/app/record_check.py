"""Checks rows against what else is kept of them: a text is stored more than once, ids are hashes of what they name,
numbers are counted again, and events that are packed together carry a checksum.

A flipped byte in the words of an edit of the graph, of a stated relation or of an event remains unnoticed, and one that
only changes the case of a letter. Of a block, neither its type and its level as a heading are compared, nor the words
of headers and footers, which are in no passage. A version that folds letters, reads tables or writes passages below an
answer otherwise would find more titles, memories, names, tables and answers changed. Ids of entities are not compared,
because an entity that was named otherwise first keeps its id, nor which sentences of a passage mention it, because
versions divide texts otherwise.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from functools import lru_cache, partial
from typing import Any, NamedTuple

from sqlalchemy import (
    JSON,
    Connection,
    Engine,
    LargeBinary,
    Select,
    String,
    Text,
    cast,
    func,
    or_,
    select,
    update,
)

from core.documents.model import Block
from core.documents.reading.assemble import FORMULA
from core.documents.reading.blocks import clean_blocks
from core.documents.reading.tables import rows_text, table_rows
from core.documents.store.rows import MENTION, mention_of
from core.graph.files.import_documents import PARSER as GRAPH
from core.graph.naming import mention_id
from core.graph.network.incidences import pack
from core.graph.store.graph_edits import to_edit
from core.platform.identity import SYSTEM, acting_as
from core.platform.ids import content_id, document_id
from core.platform.sql.columns import Words, name_key, normalized
from core.platform.sql.conversation_tables import memories, run_events, runs, threads
from core.platform.sql.engine import is_sqlite, reading, writing
from core.platform.sql.schema import (
    METADATA,
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    graph_edits,
    incidences,
    knowledge_bases,
    mentions,
)
from core.runs.history.passage_text import with_passages
from core.runs.history.view import fold
from core.runs.model import RunStatus
from core.runs.store.event_codec import decode_all, events_in

_ROWS = 1_000
_REPLACED = "\ufffd"
"""Stands for characters that the database cannot store; an id may have been made of them."""


class RecordPart(StrEnum):
    TURNS = "turns"
    TITLES = "titles"
    MEMORIES = "memories"
    EVENTS = "events"
    DOCUMENTS = "documents"
    PASSAGES = "passages"
    BLOCKS = "blocks"
    TABLES = "tables"
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


class _Block(NamedTuple):
    page: int
    box: Any
    type: str
    words: str
    """Its text without blanks."""


_BlocksOf = Callable[[str], Mapping[int, _Block]]
"""The blocks of a document by their numbers."""


def changed_records(engine: Engine) -> dict[RecordPart, Counter[str]]:
    """Number of changed rows by kind and document, "" for those of none; kinds without any are left out."""
    with acting_as(SYSTEM), reading(engine) as connection:
        blocks_of = lru_cache(maxsize=1)(partial(_blocks_of, connection))
        checks: _Checks = {
            **_CHECKS,
            RecordPart.SPANS: (_SPANS, partial(_are_spans, blocks_of)),
            RecordPart.BLOCKS: (_SPANS.where(chunks.c.original.is_(None)), partial(_is_in_blocks, blocks_of)),
            RecordPart.INCIDENCES: (_PACKED, partial(_is_packed, connection)),
        }
        found = {
            part: Counter(row[0] if part in OF_DOCUMENTS else "" for row in _changed(connection, *check))
            for part, check in checks.items()
        }
    return {part: counts for part, counts in found.items() if counts}


def edited_passages(engine: Engine) -> Counter[str]:
    """Number of passages whose text people edited, by document, also where a row cannot be read as a whole."""
    edited = select(chunks.c.document_id, func.count()).where(chunks.c.original.is_not(None))
    with acting_as(SYSTEM), reading(engine) as connection:
        return Counter(dict(connection.execute(edited.group_by(chunks.c.document_id)).tuples().all()))


def recount(engine: Engine) -> None:
    """Makes the numbers of mentions and documents of all entities anew."""
    with acting_as(SYSTEM), writing(engine) as connection:
        connection.execute(select(knowledge_bases.c.id).with_for_update()).all()  # nothing is published meanwhile
        connection.execute(_RECOUNT)


def broken_texts(engine: Engine) -> dict[str, int]:
    """Number of texts with bytes that are no characters, by table and column; Postgres accepts none."""
    if not is_sqlite(engine):
        return {}
    stored = [column for table in METADATA.sorted_tables for column in table.c if isinstance(column.type, _TEXTS)]
    with acting_as(SYSTEM), reading(engine) as connection:
        counts = {
            f"{column.table.name}.{column.name}": sum(
                1 for _ in _changed(connection, select(cast(column, LargeBinary)), _is_text)
            )
            for column in stored
        }
    return {place: count for place, count in counts.items() if count}


def _is_text(stored: bytes | None) -> bool:
    """Raises ValueError for bytes that are no characters."""
    (stored or b"").decode()
    return True


def _changed(connection: Connection, statement: _Rows, is_right: Callable[..., bool]) -> Iterator[Any]:
    rows = connection.execution_options(yield_per=_ROWS).execute(statement)
    return (row for row in rows if not _holds(is_right, row))


def _holds(is_right: Callable[..., bool], row: Any) -> bool:
    try:
        return is_right(*row)
    except (ValueError, TypeError, KeyError, AttributeError):  # JSON that is broken or has another shape
        return False


def _is_logged(question: str, answer: str, seq: int, type: str, packed: bytes) -> bool:
    """Whether the events of a run, if this row has all of them, say the same."""
    view = fold(event for _, event in decode_all(0, seq, type, (), packed))
    is_whole = bool(view.question) and view.status is not RunStatus.RUNNING
    said = with_passages(view.answer, view.passages, view.citations)
    return not is_whole or (question, answer) == (view.question, said)


def _is_searched(text: str, norm: str) -> bool:
    return normalized(text) == norm


def _is_readable(type: str, payload: str, packed: bytes | None) -> bool:
    return bool(events_in(type, json.loads(payload), packed))


def _is_document(id: str, base_id: str, sha256: str) -> bool:
    return id == document_id(base_id, sha256)


def _is_passage(document_id: str, id: str, place: int, text: str, original: str | None, parser: str) -> bool:
    first = original or text
    kind = () if parser == GRAPH else ("chunk",)
    return _REPLACED in first or id == content_id(*kind, document_id, str(place), first)


def _blocks_of(connection: Connection, document_id: str) -> dict[int, _Block]:
    rows = connection.execute(_BLOCKS.where(blocks.c.document_id == document_id))
    return {
        position: _Block(page, json.loads(box or "null"), type, _without_blanks(text))
        for position, page, box, type, text in rows
    }


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _are_spans(blocks_of: _BlocksOf, document_id: str, spans: str, page: int, text: str) -> bool:
    """Whether they follow each other in the text and lie where their blocks do, the first one on the page."""
    found, places = json.loads(spans), blocks_of(document_id)
    ends = [0, *(end for start, stop, *_ in found for end in (start, stop)), len(text)]
    return (
        ends == sorted(ends)
        and page == (found[0][3] if found else 0)
        and all(block in places and places[block][:2] == (page, box) for _, _, block, page, box in found)
    )


def _is_in_blocks(blocks_of: _BlocksOf, document_id: str, spans: str, _page: int, text: str) -> bool:
    """Whether all words are in the blocks that they are said to come from; blanks between them may be others."""
    places = blocks_of(document_id)
    return all(_is_said(places[block], text[start:stop]) for start, stop, block, *_ in json.loads(spans))


def _is_said(block: _Block, words: str) -> bool:
    """By lines for a table, as each of its parts begins with the heading rows again."""
    lines = words.splitlines() if block.type in ("table", "chart") else [words]
    return words == FORMULA or all(_without_blanks(line) in block.words for line in lines)


def _is_table(_document_id: str, type: str, text: str, html: str) -> bool:
    """Whether the markup has the rows that are searched; a parser may also keep markup without any."""
    rows = table_rows(html)
    (made,) = clean_blocks([Block(0, 0, type, rows_text(rows))])
    return not rows or _without_blanks(made.text) == _without_blanks(text)


def _is_mention(document_id: str, id: str, surface: str, there: str, *place: Any) -> bool:
    return surface == there and id == mention_id(document_id, *place)


def _is_name(_document_id: str, name: str, norm: str) -> bool:
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


OF_DOCUMENTS = (
    *(RecordPart.PASSAGES, RecordPart.BLOCKS, RecordPart.TABLES, RecordPart.SPANS),
    *(RecordPart.MENTIONS, RecordPart.NAMES, RecordPart.INCIDENCES),
)
"""What reading a document makes; the first column of their rows is its id."""
_OF_EDITS = {"entities", "text", "chunk", "pages"}
_MENTIONS: _Rows = select(*(mentions.c[name] for name in MENTION[:-1]))
_BLOCKS: _Rows = select(blocks.c.position, blocks.c.page, cast(blocks.c.box, Text), blocks.c.type, blocks.c.text)
_SPANS: _Rows = select(chunks.c.document_id, cast(chunks.c.spans, Text), chunks.c.page, chunks.c.text).order_by(
    chunks.c.document_id
)
_PACKED: _Rows = (
    select(incidences.c.document_id, cast(incidences.c.packed, Text)).join(documents).where(documents.c.parser != GRAPH)
)
"""Of documents that were read; an imported graph says itself what belongs together."""
_OF_ENTITY = {
    "mentions": select(func.count()).where(mentions.c.entity_id == entities.c.id).scalar_subquery(),
    "documents": select(func.count(mentions.c.document_id.distinct()))
    .where(mentions.c.entity_id == entities.c.id)
    .scalar_subquery(),
}
_RECOUNT = (
    update(entities).where(or_(*(entities.c[name] != made for name, made in _OF_ENTITY.items()))).values(_OF_ENTITY)
)
_OF_CHUNK = func.substr(chunks.c.text, mentions.c.start_offset + 1, mentions.c.end_offset - mentions.c.start_offset)
_CHECKS: _Checks = {
    RecordPart.TURNS: (
        select(runs.c.question, runs.c.answer, run_events.c.seq, run_events.c.type, run_events.c.packed)
        .join(run_events, run_events.c.run_id == runs.c.id)
        .where(run_events.c.packed.is_not(None)),
        _is_logged,
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
            *(chunks.c.document_id, chunks.c.id, chunks.c.position, chunks.c.text, chunks.c.original),
            documents.c.parser,
        ).join(documents),
        _is_passage,
    ),
    RecordPart.TABLES: (
        select(blocks.c.document_id, blocks.c.type, blocks.c.text, blocks.c.html).where(blocks.c.html != ""),
        _is_table,
    ),
    RecordPart.MENTIONS: (
        select(
            *(mentions.c.document_id, mentions.c.id, mentions.c.surface, _OF_CHUNK, mentions.c.chunk_id),
            *(mentions.c.start_offset, mentions.c.end_offset, mentions.c.entity_id),
        ).join(chunks, chunks.c.id == mentions.c.chunk_id),
        _is_mention,
    ),
    RecordPart.NAMES: (
        select(entity_names.c.document_id, entity_names.c.name, entity_names.c.norm),
        _is_name,
    ),
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
