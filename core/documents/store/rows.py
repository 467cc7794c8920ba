"""Converts rows to domain objects and back; no statements."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields
from typing import Any

from sqlalchemy import RowMapping

from core.documents.model import (
    Block,
    Box,
    Chunk,
    Document,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    Span,
    Stage,
    StageProgress,
    Summary,
)
from core.graph.model import Mention, Origin, Relation, Saying
from core.platform.sql.columns import normalized

Row = dict[str, Any]
Read = RowMapping | Mapping[str, Any]
_GIVEN = (
    *("id", "base_id", "name", "sha256", "size", "media_type", "added_at", "cancelled", "error_key"),
    *("parser", "language", "title", "pages", "form"),
)
_PUBLISHED = ("chunks", "entities", "ready_at", "paused")
"""Columns of documents with the names of their fields; publishing writes the second ones."""
_BLOCK = ("page", "type", "level", "text", "html", "confidence")
_PROGRESS = ("status", "done", "total", "unit", "seconds", "note")
MENTION = (
    *("id", "entity_id", "document_id", "chunk_id", "page", "start_offset", "end_offset"),
    *("surface", "confidence", "origin"),
)
"""Columns in the order of the fields of Mention."""
_ORIGIN = tuple(field.name for field in fields(Origin))
_SUMMARY = ("id", "document_id", "section", "text")
_CHUNK = (*_SUMMARY, "page", "enabled")


def to_base(row: Read) -> KnowledgeBase:
    return KnowledgeBase(
        row["id"], row["name"], row["created_at"], row["index_version"], tuple(row["entity_types"]), row["owner_id"]
    )


def from_base(base: KnowledgeBase) -> Row:
    return {
        "id": base.id,
        "name": base.name,
        "name_norm": normalized(base.name),
        "created_at": base.created_at,
        "index_version": base.index_version,
        "entity_types": list(base.entity_types),
        "owner_id": base.owner_id,
    }


def to_document(row: Read) -> Document:
    """The row includes `running`: whether a stage is in progress."""
    return Document(
        **{name: row[name] for name in (*_GIVEN, *_PUBLISHED)},
        status=status_of(row),
        error_params=tuple((name, value) for name, value in row["error_params"]),
        notes=tuple(row["notes"]),
        replaces=row["replaces"] or "",
        parser_choice=row["parser_choice"] or "",
        estimate=Effort(**row["estimate"]) if row["estimate"] else None,
        spent=Effort(**row["spent"]) if row["spent"] else None,
    )


def from_document(document: Document) -> Row:
    """Without the columns that publishing writes."""
    return {
        **{name: getattr(document, name) for name in _GIVEN},
        "error_params": document.error_params,
        "chunks": 0,
        "entities": 0,
        "notes": document.notes,
        "parser_choice": document.parser_choice or None,
        "paused": document.status is DocumentStatus.PAUSED,
        "estimate": from_effort(document.estimate),
        "spent": from_effort(document.spent),
    }


def from_effort(effort: Effort | None) -> Row | None:
    return asdict(effort) if effort else None


def status_of(row: Read) -> DocumentStatus:
    """A published document stays ready, whatever happens to a later attempt."""
    if row["ready_at"]:
        return DocumentStatus.READY
    if row["error_key"]:
        return DocumentStatus.FAILED
    if row["cancelled"]:
        return DocumentStatus.CANCELLED
    if row["paused"]:
        return DocumentStatus.PAUSED
    return DocumentStatus.RUNNING if row["running"] else DocumentStatus.QUEUED


def to_progress(row: RowMapping) -> StageProgress:
    return StageProgress(Stage(row["stage"]), **{name: row[name] for name in _PROGRESS})


def from_progress(document_id: str, progress: StageProgress) -> Row:
    values = {name: getattr(progress, name) for name in _PROGRESS}
    return {"document_id": document_id, "stage": progress.stage.value, **values}


def to_block(row: RowMapping) -> Block:
    return Block(row["position"], box=_box(row["box"]), **{name: row[name] for name in _BLOCK})


def from_block(document_id: str, block: Block) -> Row:
    values = {name: getattr(block, name) for name in _BLOCK}
    return {"document_id": document_id, "position": block.index, "box": block.box, **values}


def to_chunk(row: Read) -> Chunk:
    spans = tuple(Span(start, end, block, page, _box(box)) for start, end, block, page, box in row["spans"])
    return Chunk(
        id=row["id"],
        document_id=row["document_id"],
        index=row["position"],
        text=row["text"],
        section=tuple(row["section"]),
        spans=spans,
        enabled=row["enabled"],
        original=row["original"] or "",
    )


def from_chunk(chunk: Chunk) -> Row:
    return {
        **{name: getattr(chunk, name) for name in _CHUNK},
        "position": chunk.index,
        "original": chunk.original or None,
        "spans": [(span.start, span.end, span.block, span.page, span.box) for span in chunk.spans],
    }


def to_summary(row: RowMapping) -> Summary:
    return Summary(row["id"], row["document_id"], tuple(row["section"]), row["text"])


def from_summary(position: int, summary: Summary) -> Row:
    return {"position": position, **{name: getattr(summary, name) for name in _SUMMARY}}


def to_mention(row: RowMapping) -> Mention:
    return mention_of([row[name] for name in MENTION])


def mention_of(values: Sequence[Any]) -> Mention:
    """values: of the columns MENTION."""
    *given, origin = values
    given.append(Origin(**origin) if origin else None)
    return Mention(*given)


def from_mention(position: int, mention: Mention) -> Row:
    return {
        "id": mention.id,
        "entity_id": mention.entity_id,
        "document_id": mention.document_id,
        "chunk_id": mention.chunk_id,
        "position": position,
        "page": mention.page,
        "start_offset": mention.start,
        "end_offset": mention.end,
        "surface": mention.surface,
        "confidence": mention.confidence,
        "origin": {name: getattr(mention.origin, name) for name in _ORIGIN} if mention.origin else None,
    }


def from_relation(document_id: str, position: int, relation: Relation) -> Row:
    return {
        "document_id": document_id,
        "position": position,
        "source_id": relation.source_id,
        "target_id": relation.target_id,
        "relation": relation.relation,
        "weight": relation.weight,
        "pages": [*relation.pages, *((each.document_id, -1, each.chunk_id, *each.span) for each in relation.sayings)],
    }


def to_relation(row: RowMapping) -> Relation:
    places = [tuple(place) for place in row["pages"]]
    pages = tuple(place for place in places if len(place) == 2)
    sayings = tuple(Saying(document, chunk, start, end) for document, _, chunk, start, end in places[len(pages) :])
    return Relation(row["source_id"], row["target_id"], row["relation"], row["weight"], pages, sayings)


def _box(stored: list[int] | None) -> Box | None:
    return (stored[0], stored[1], stored[2], stored[3]) if stored else None
