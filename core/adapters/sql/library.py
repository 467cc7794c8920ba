"""Knowledge bases and documents in SQL."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import Connection, Engine, RowMapping, Select, bindparam, delete, exists, insert, select, update
from sqlalchemy.exc import IntegrityError

from core.adapters.sql import published, publishing
from core.adapters.sql.batches import SIZE, batches
from core.adapters.sql.clock import Clock, utc_now
from core.adapters.sql.engine import reading, writing
from core.adapters.sql.norms import norm
from core.adapters.sql.rows import (
    from_base,
    from_effort,
    from_progress,
    to_base,
    to_block,
    to_chunk,
    to_document,
    to_progress,
    to_summary,
)
from core.adapters.sql.schema import blocks, chunks, documents, knowledge_bases, stages, summaries
from core.domain.documents import (
    Block,
    Chunk,
    DeletionPreview,
    Document,
    Effort,
    KnowledgeBase,
    Stage,
    StageProgress,
    Summary,
)
from core.domain.ids import content_id, document_id
from core.domain.knowledge import Entity, Mention, Relation
from core.domain.passages import Passage
from core.errors import InputError, NotFoundError
from core.ports import IndexEntry, Publication

NAME_LENGTH = 100
"""Characters of a knowledge base's name."""
_STAGE_ORDER = list(Stage)
_DOCUMENTS = select(
    documents,
    exists().where(stages.c.document_id == documents.c.id, stages.c.status == "running").label("running"),
)
_BASE = select(knowledge_bases).where(knowledge_bases.c.id == bindparam("base"))
_VISIBLE = (
    select(chunks.c.id)
    .join(documents)
    .where(documents.c.ready_at.is_not(None), chunks.c.enabled)
    .where(chunks.c.id.in_(bindparam("asked", expanding=True)))
)
_PASSAGES = _VISIBLE.with_only_columns(*chunks.c, documents.c.name)
"""Statements of every question are built once: building one takes longer than running it."""


class SqlLibrary:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def bases(self) -> list[KnowledgeBase]:
        statement = select(knowledge_bases).order_by(knowledge_bases.c.created_at, knowledge_bases.c.name_norm)
        return [to_base(row) for row in self._rows(statement)]

    def base(self, base_id: str) -> KnowledgeBase:
        for row in self._rows(_BASE, base=base_id):
            return to_base(row)
        raise NotFoundError("storage.base_gone")

    def base_named(self, name: str) -> KnowledgeBase | None:
        rows = self._rows(select(knowledge_bases).where(knowledge_bases.c.name_norm == norm(name)))
        return to_base(rows[0]) if rows else None

    def create_base(self, name: str) -> KnowledgeBase:
        """The id follows from the name, so that the same documents have the same ids in another data folder."""
        wanted = _usable_name(name)
        try:
            with writing(self.engine) as connection:
                base = KnowledgeBase(_free_base_id(connection, norm(wanted)), wanted, self.clock())
                connection.execute(insert(knowledge_bases).values(**from_base(base)))
        except IntegrityError as error:
            raise InputError("storage.base_name_taken", name=wanted) from error
        return base

    def rename_base(self, base_id: str, name: str) -> None:
        """Raises InputError as create_base does."""
        wanted = _usable_name(name)
        statement = update(knowledge_bases).where(knowledge_bases.c.id == base_id)
        try:
            with writing(self.engine) as connection:
                changed = connection.execute(statement.values(name=wanted, name_norm=norm(wanted))).rowcount
        except IntegrityError as error:
            raise InputError("storage.base_name_taken", name=wanted) from error
        if not changed:
            raise NotFoundError("storage.base_gone")

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        statement = update(knowledge_bases).where(knowledge_bases.c.id == base_id)
        with writing(self.engine) as connection:
            if not connection.execute(statement.values(entity_types=list(types))).rowcount:
                raise NotFoundError("storage.base_gone")

    def delete_base(self, base_id: str) -> None:
        with writing(self.engine) as connection:
            connection.execute(delete(knowledge_bases).where(knowledge_bases.c.id == base_id))

    def restore_base(self, base: KnowledgeBase) -> None:
        there = select(knowledge_bases.c.id).where(knowledge_bases.c.id == base.id)
        try:
            with writing(self.engine) as connection:
                if not connection.execute(there).first():
                    connection.execute(insert(knowledge_bases).values(**from_base(base)))
        except IntegrityError as error:
            raise InputError("storage.base_name_taken", name=base.name) from error

    def add_document(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        wanted = document_id(base_id, sha256)
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            is_new = not connection.execute(select(documents.c.id).where(documents.c.id == wanted)).first()
            if is_new:
                values = _new_document(wanted, base_id, name) | {"sha256": sha256, "size": size}
                values["parser_choice"] = parser or None
                connection.execute(insert(documents).values(**values, media_type=media_type, added_at=self.clock()))
        return self.document(wanted), is_new

    def documents(self, base_id: str) -> list[Document]:
        """In the order they were added."""
        statement = _DOCUMENTS.where(documents.c.base_id == base_id)
        rows = self._rows(statement.order_by(documents.c.added_at, documents.c.name, documents.c.id))
        return [to_document(row) for row in rows]

    def document(self, document_id: str) -> Document:
        for row in self._rows(_DOCUMENTS.where(documents.c.id == document_id)):
            return to_document(row)
        raise NotFoundError("error.document_missing")

    def record_stage(self, document_id: str, progress: StageProgress) -> None:
        """Raises NotFoundError when the document was deleted meanwhile."""
        row = from_progress(document_id, progress)
        with writing(self.engine) as connection:
            if not connection.execute(select(documents.c.id).where(documents.c.id == document_id)).first():
                raise NotFoundError("error.document_missing")
            same = (stages.c.document_id == document_id) & (stages.c.stage == row["stage"])
            if not connection.execute(update(stages).where(same).values(row)).rowcount:
                connection.execute(insert(stages).values(row))

    def stages(self, document_id: str) -> list[StageProgress]:
        """In pipeline order."""
        found = [to_progress(row) for row in self._rows(select(stages).where(stages.c.document_id == document_id))]
        return sorted(found, key=lambda progress: _STAGE_ORDER.index(progress.stage))

    def publish(self, publication: Publication) -> None:
        with writing(self.engine) as connection:
            publishing.publish(connection, publication, self.clock())

    def publication(self, document_id: str) -> Publication:
        with reading(self.engine) as connection:
            return published.read(connection, document_id)

    def restore(self, document: Document, publication: Publication | None) -> None:
        with writing(self.engine) as connection:
            publishing.restore(connection, document, publication)

    def replace_chunk(
        self,
        chunk: Chunk,
        entities: Sequence[Entity],
        mentions: Sequence[Mention],
        relations: Sequence[Relation] | None = None,
    ) -> None:
        with writing(self.engine) as connection:
            publishing.replace_chunk(connection, chunk, entities, mentions, relations)

    def enable_chunk(self, chunk_id: str, enabled: bool) -> None:
        with writing(self.engine) as connection:
            publishing.enable_chunk(connection, chunk_id, enabled)

    def replace_document(self, document_id: str, replaced_id: str) -> None:
        with writing(self.engine) as connection:
            _change(connection, document_id, replaces=replaced_id or None)

    def choose_parser(self, document_id: str, parser: str) -> None:
        with writing(self.engine) as connection:
            _change(connection, document_id, parser_choice=parser or None)

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        with writing(self.engine) as connection:
            _change(connection, document_id, estimate=from_effort(estimate), paused=paused)

    def resume(self, document_id: str) -> None:
        agreed = replace(self.document(document_id).estimate or Effort(), agreed=True)
        self.record_estimate(document_id, agreed)

    def record_spent(self, document_id: str, spent: Effort) -> None:
        with writing(self.engine) as connection:
            _change(connection, document_id, spent=from_effort(spent))

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None:
        """Nothing happens when the document was deleted meanwhile."""
        values = {"error_key": key, "error_params": sorted(params.items())}
        with writing(self.engine) as connection:
            connection.execute(update(documents).where(documents.c.id == document_id).values(**values))

    def restart(self, document_id: str) -> None:
        """Raises NotFoundError."""
        with writing(self.engine) as connection:
            connection.execute(delete(stages).where(stages.c.document_id == document_id))
            _change(connection, document_id, error_key="", error_params=[], cancelled=False, paused=False)

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""
        with writing(self.engine) as connection:
            _change(connection, document_id, cancelled=True)

    def mark_form(self, document_id: str, form: bool) -> None:
        """Raises NotFoundError."""
        with writing(self.engine) as connection:
            _change(connection, document_id, form=form)

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]:
        statement = select(blocks).where(blocks.c.document_id == document_id).order_by(blocks.c.position)
        return [
            to_block(row) for row in self._rows(statement if page is None else statement.where(blocks.c.page == page))
        ]

    def chunks(self, document_id: str) -> list[Chunk]:
        statement = select(chunks).where(chunks.c.document_id == document_id).order_by(chunks.c.position)
        return [to_chunk(row) for row in self._rows(statement)]

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        found: dict[str, Passage] = {}
        with reading(self.engine) as connection:
            for batch in batches(list(dict.fromkeys(chunk_ids))):
                for row in connection.execute(_PASSAGES, {"asked": batch}).mappings():
                    found[row["id"]] = Passage(to_chunk(row), row["name"], 0.0)
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        found: set[str] = set()
        with reading(self.engine) as connection:
            for batch in batches(chunk_ids):
                found.update(connection.execute(_VISIBLE, {"asked": batch}).scalars())
        return found

    def summaries(self, document_ids: Sequence[str]) -> list[Summary]:
        """By document in the order given, then in reading order."""
        found: dict[str, list[Summary]] = {}
        with reading(self.engine) as connection:
            for batch in batches(list(dict.fromkeys(document_ids))):
                statement = select(summaries).where(summaries.c.document_id.in_(batch)).order_by(summaries.c.position)
                for row in connection.execute(statement).mappings():
                    found.setdefault(row["document_id"], []).append(to_summary(row))
        return [summary for wanted in dict.fromkeys(document_ids) for summary in found.get(wanted, ())]

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        number = sum(self.document(document_id).chunks for document_id in document_ids)
        with reading(self.engine) as connection:
            removed, kept = publishing.count_support(connection, document_ids)
        return DeletionPreview(number, removed, kept)

    def delete_document(self, document_id: str) -> None:
        """Nothing happens when it is gone already."""
        with writing(self.engine) as connection:
            publishing.remove(connection, document_id)

    def file_in_use(self, sha256: str) -> bool:
        return bool(self._rows(select(documents.c.id).where(documents.c.sha256 == sha256).limit(1)))

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        table = {"chunks": chunks, "summaries": summaries}[level]
        columns = (table.c.id, table.c.document_id, table.c.section, table.c.text)
        statement = select(*columns, documents.c.title).join(documents)
        statement = statement.where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))
        statement = statement.order_by(documents.c.added_at, documents.c.id, table.c.position)
        with reading(self.engine) as connection:
            rows = connection.execution_options(yield_per=SIZE).execute(statement).mappings()
            for batch in rows.partitions():
                yield [_entry(row) for row in batch]

    def _rows(self, statement: Select[*tuple[object, ...]], **values: str) -> Sequence[RowMapping]:
        with reading(self.engine) as connection:
            return connection.execute(statement, values).mappings().all()


def _usable_name(name: str) -> str:
    wanted = " ".join("".join(sign if sign.isprintable() else " " for sign in name).split())
    if not norm(wanted):
        raise InputError("storage.base_name_empty")
    if len(wanted) > NAME_LENGTH:
        raise InputError("storage.base_name_long", length=len(wanted), limit=NAME_LENGTH)
    return wanted


def _free_base_id(connection: Connection, name_norm: str) -> str:
    """A renamed base keeps its id, so the name's own id may be in use."""
    number = 0
    while True:
        wanted = content_id("base", name_norm, *([str(number)] if number else []))
        if not connection.execute(select(knowledge_bases.c.id).where(knowledge_bases.c.id == wanted)).first():
            return wanted
        number += 1


def _new_document(id: str, base_id: str, name: str) -> dict[str, object]:
    texts = dict.fromkeys(("error_key", "parser", "language", "title"), "")
    counts = dict.fromkeys(("pages", "chunks", "entities"), 0)
    lists: dict[str, object] = {"error_params": [], "notes": []}
    return {"id": id, "base_id": base_id, "name": name, "cancelled": False, **texts, **counts, **lists}


def _change(connection: Connection, document_id: str, **values: object) -> None:
    if not connection.execute(update(documents).where(documents.c.id == document_id).values(**values)).rowcount:
        raise NotFoundError("error.document_missing")


def _entry(row: RowMapping) -> IndexEntry:
    return IndexEntry(row["id"], row["document_id"], row["title"], "\n".join(row["section"]), row["text"])
