"""Records of which entries have vectors, and the vectors of their sentences, in SQL with the texts."""

from collections.abc import Collection, Iterable, Sequence
from operator import itemgetter
from time import monotonic

from sqlalchemy import (
    BindParameter,
    Connection,
    Engine,
    RowMapping,
    Select,
    and_,
    bindparam,
    delete,
    func,
    select,
)

from core.documents.store.rows import Row
from core.platform.sql.compiled_statements import put_all
from core.platform.sql.engine import ASKED, all_rows, batches, reading, writing
from core.platform.sql.schema import chunks, documents, entry_vectors, knowledge_bases, summaries
from core.search.ports import LEVELS, IndexEntry, MadeVectors, Sentences, VectorProgress

_TABLES = {"chunks": chunks, "summaries": summaries}
_BASE: BindParameter[str] = bindparam("base")
_EMBEDDER: BindParameter[str] = bindparam("embedder")
COUNTED_SECONDS = 30.0
"""How long a base may be shown as complete after its vectors were deleted without a new version."""
UNDERWAY_SECONDS = 1.0
"""Greatest age of the count while vectors are being made, since each count scans all of them."""
_READY = (documents.c.base_id == _BASE) & documents.c.ready_at.is_not(None)
_TOTALS = {
    level: select(func.count()).select_from(table).join(documents).where(_READY) for level, table in _TABLES.items()
}
_DONE = (
    select(func.count())
    .select_from(entry_vectors)
    .join(documents)
    .where(_READY, entry_vectors.c.embedder == _EMBEDDER)
    .where(entry_vectors.c.level.in_(bindparam("levels", expanding=True)))
)
_VERSION = select(knowledge_bases.c.index_version).where(knowledge_bases.c.id == _BASE)
_SENTENCES = select(entry_vectors.c.entry_id, entry_vectors.c.sentences, entry_vectors.c.unspaced).where(
    entry_vectors.c.embedder == _EMBEDDER, entry_vectors.c.entry_id.in_(ASKED)
)
_MADE_OF = (
    select(entry_vectors.c.entry_id, entry_vectors.c.digest)
    .join(documents)
    .where(documents.c.base_id == _BASE, entry_vectors.c.embedder == _EMBEDDER)
    .where(entry_vectors.c.level == bindparam("level"))
    .limit(bindparam("limit"))
)
"""Built once: building it takes longer than running it."""


class SqlVectorStore:
    """VectorStore in the database of the texts."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self._counted: dict[tuple[str, str], tuple[int, float, VectorProgress]] = {}
        """By base and embedder: the version, when it was counted, and the counts."""

    def pending(self, base_id: str, level: str, embedder: str, limit: int) -> list[IndexEntry]:
        table = _TABLES[level]
        made = and_(entry_vectors.c.entry_id == table.c.id, entry_vectors.c.embedder == embedder)
        statement = entries_of(level).outerjoin(entry_vectors, made)
        statement = statement.where(documents.c.base_id == base_id, documents.c.ready_at.is_not(None))
        statement = statement.where(entry_vectors.c.entry_id.is_(None)).limit(limit)
        statement = statement.order_by(documents.c.added_at, documents.c.id, table.c.position)
        return [to_entry(row) for row in all_rows(self.engine, statement)]

    def progress(self, base_id: str, embedder: str, levels: Sequence[str] = LEVELS) -> VectorProgress:
        asked = {"base": base_id, "embedder": embedder, "levels": levels}
        with reading(self.engine) as connection:
            done = connection.execute(_DONE, asked).scalar_one()
            totals = [connection.execute(_TOTALS[level], {"base": base_id}).scalar_one() for level in levels]
        return VectorProgress(done, sum(totals))

    def recent_progress(self, base_id: str, embedder: str) -> VectorProgress:
        """As progress(), for pages: counted again only after the base changed, or after a while."""
        with reading(self.engine) as connection:
            version = connection.execute(_VERSION, {"base": base_id}).scalar()
        seen, counted_at, made = self._counted.get((base_id, embedder), (-1, 0.0, None))
        if made and seen == version:
            lasts = COUNTED_SECONDS if made.is_complete else UNDERWAY_SECONDS
            if monotonic() - counted_at < lasts:
                return made
        counted = self.progress(base_id, embedder)
        if version is not None:
            self._counted[base_id, embedder] = (version, monotonic(), counted)
        return counted

    def keep(self, level: str, embedder: str, made: Sequence[MadeVectors]) -> None:
        with writing(self.engine, durable=False) as connection:
            _hold_bases(connection, {row.entry.document_id for row in made})
            for batch in batches(made):
                current = _digests(connection, level, [row.entry.chunk_id for row in batch])
                rows = [_row(row, level, embedder) for row in batch]
                if same := [row for row in rows if current.get(row["entry_id"]) == row["digest"]]:
                    put_all(connection, entry_vectors, sorted(same, key=itemgetter("entry_id")))

    def sentences(self, embedder: str, ids: Sequence[str]) -> dict[str, Sentences]:
        found: dict[str, Sentences] = {}
        for batch in batches(ids):
            for row in all_rows(self.engine, _SENTENCES, embedder=embedder, asked=batch):
                found[row["entry_id"]] = row["sentences"], row["unspaced"]
        return found

    def digests(self, base_id: str, level: str, embedder: str, limit: int) -> dict[str, str]:
        asked = {"base": base_id, "level": level, "embedder": embedder, "limit": limit}
        with reading(self.engine) as connection:
            return {row.entry_id: row.digest for row in connection.execute(_MADE_OF, asked)}

    def forget_documents(self, document_ids: Sequence[str]) -> None:
        """Durable, because the vectors are deleted after it: a power loss must not bring back the note alone."""
        with writing(self.engine) as connection:
            for batch in batches(document_ids):
                connection.execute(delete(entry_vectors).where(entry_vectors.c.document_id.in_(batch)))

    def forget_base(self, base_id: str) -> None:
        """Durable, as forget_documents()."""
        own = select(documents.c.id).where(documents.c.base_id == base_id)
        with writing(self.engine) as connection:
            connection.execute(delete(entry_vectors).where(entry_vectors.c.document_id.in_(own)))


def forget_changed(connection: Connection, document_id: str, entries: Iterable[IndexEntry]) -> None:
    """Deletes vectors of a republished document for entries that it no longer has, or has with another text."""
    current = {entry.chunk_id: entry.digest for entry in entries}
    known = select(entry_vectors.c.entry_id, entry_vectors.c.digest).where(entry_vectors.c.document_id == document_id)
    made = connection.execute(known).all()
    _delete(connection, [id for id, digest in made if current.get(id) != digest])


def entries_of(level: str) -> Select[*tuple[object, ...]]:
    """Columns that to_entry reads, of all documents."""
    table = _TABLES[level]
    columns = (table.c.id, table.c.document_id, table.c.section, table.c.text, documents.c.title)
    return select(*columns).join_from(table, documents)


def to_entry(row: RowMapping) -> IndexEntry:
    return IndexEntry(row["id"], row["document_id"], row["title"], "\n".join(row["section"]), row["text"])


def _hold_bases(connection: Connection, document_ids: Collection[str]) -> None:
    """Nothing in them is published or deleted, as it could be on Postgres before vectors are noted."""
    for batch in batches(sorted(document_ids)):
        of = select(documents.c.base_id).where(documents.c.id.in_(batch))
        held = select(knowledge_bases.c.id).where(knowledge_bases.c.id.in_(of)).order_by(knowledge_bases.c.id)
        connection.execute(held.with_for_update(read=True, key_share=True)).all()


def _digests(connection: Connection, level: str, ids: Sequence[str]) -> dict[str, str]:
    statement = entries_of(level).where(_TABLES[level].c.id.in_(ids))
    return {row["id"]: to_entry(row).digest for row in connection.execute(statement).mappings()}


def _delete(connection: Connection, ids: Sequence[str]) -> None:
    for batch in batches(ids):
        connection.execute(delete(entry_vectors).where(entry_vectors.c.entry_id.in_(batch)))


def _row(made: MadeVectors, level: str, embedder: str) -> Row:
    return {
        "entry_id": made.entry.chunk_id,
        "document_id": made.entry.document_id,
        "level": level,
        "embedder": embedder,
        "digest": made.entry.digest,
        "sentences": made.sentences,
        "unspaced": made.unspaced,
    }
