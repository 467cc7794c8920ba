"""Published documents in SQL: one transaction makes a document visible, changes it or takes it back."""

from collections.abc import Callable, Sequence

from sqlalchemy import Engine

from core.documents.model import Chunk, Document
from core.documents.ports.publishing import NOTHING_NOTED, NewDocument, Publication, WorkDone
from core.documents.store import published, publishing
from core.documents.store.ingest_records import note_work
from core.graph.model import Entity, Mention, Relation
from core.platform.clock import Clock, utc_now
from core.platform.sql.engine import check_before_statements, reading, writing


class SqlPublications:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock

    def publish(
        self, publication: Publication, check: Callable[[], None] = lambda: None, done: WorkDone = NOTHING_NOTED
    ) -> None:
        self.publish_together([(publication, done)], check)

    def publish_together(
        self, found: Sequence[tuple[Publication, WorkDone]], check: Callable[[], None] = lambda: None
    ) -> None:
        with writing(self.engine, durable=False) as connection:
            check_before_statements(connection, check)
            publishing.publish(connection, [publication for publication, _ in found], self.clock())
            note_work(connection, {publication.document_id: done for publication, done in found})

    def publish_new(self, found: Sequence[tuple[NewDocument, Publication]]) -> None:
        with writing(self.engine) as connection:
            for base_id in sorted({new.base_id for new, _ in found}):
                publishing.lock_base(connection, base_id)
            for new, _ in found:
                publishing.add(connection, new, self.clock())
            publishing.publish(connection, [made for _, made in found], self.clock())

    def get(self, document_id: str) -> Publication:
        with reading(self.engine) as connection:
            return published.read(connection, document_id)

    def restore(self, document: Document, publication: Publication | None, done: WorkDone = NOTHING_NOTED) -> None:
        with writing(self.engine) as connection:
            if publishing.restore(connection, document, publication, self.clock()):
                note_work(connection, {document.id: done})

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
