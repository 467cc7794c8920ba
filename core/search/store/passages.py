"""Texts of documents in SQL."""

from collections.abc import Iterator, Sequence

from sqlalchemy import Engine, select

from core.documents.model import Block, Chunk
from core.documents.store.rows import to_block, to_chunk
from core.platform.sql.engine import ASKED, SIZE, all_rows, batches, reading
from core.platform.sql.schema import blocks, chunks, documents, summaries
from core.search.model import Passage
from core.search.ports import IndexEntry
from core.search.store.vectors import entries_of, to_entry

_SEEN = (
    select(chunks.c.id)
    .join(documents)
    .where(documents.c.ready_at.is_not(None), chunks.c.enabled)
    .where(chunks.c.id.in_(ASKED))
)
_VISIBLE = _SEEN
_PASSAGES = _SEEN.with_only_columns(*chunks.c, documents.c.name, documents.c.parser)

_TEXTS = select(chunks.c.id, chunks.c.text).where(chunks.c.id.in_(ASKED))


class SqlPassages:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]:
        statement = select(blocks).where(blocks.c.document_id == document_id).order_by(blocks.c.position)
        return [
            to_block(row)
            for row in all_rows(self.engine, statement if page is None else statement.where(blocks.c.page == page))
        ]

    def chunks(self, document_id: str) -> list[Chunk]:
        statement = select(chunks).where(chunks.c.document_id == document_id).order_by(chunks.c.position)
        return [to_chunk(row) for row in all_rows(self.engine, statement)]

    def beside(self, chunk: Chunk) -> list[Chunk]:
        near = chunks.c.position.in_((chunk.index - 1, chunk.index + 1))
        statement = select(chunks).where(chunks.c.document_id == chunk.document_id, near).order_by(chunks.c.position)
        return [to_chunk(row) for row in all_rows(self.engine, statement)]

    def get(self, chunk_ids: Sequence[str]) -> list[Passage]:
        found: dict[str, Passage] = {}
        for batch in batches(list(dict.fromkeys(chunk_ids))):
            for row in all_rows(self.engine, _PASSAGES, asked=batch):
                found[row["id"]] = Passage(to_chunk(row), row["name"], 0.0, parser=row["parser"])
        return [found[chunk_id] for chunk_id in chunk_ids if chunk_id in found]

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        return {row["id"] for batch in batches(chunk_ids) for row in all_rows(self.engine, _VISIBLE, asked=batch)}

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        rows = (row for batch in batches(chunk_ids) for row in all_rows(self.engine, _TEXTS, asked=batch))
        return {row["id"]: row["text"] for row in rows}

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        table = {"chunks": chunks, "summaries": summaries}[level]
        statement = entries_of(level).where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))
        statement = statement.order_by(documents.c.added_at, documents.c.id, table.c.position)
        with reading(self.engine) as connection:
            rows = connection.execution_options(yield_per=SIZE).execute(statement).mappings()
            for batch in rows.partitions():
                yield [to_entry(row) for row in batch]
