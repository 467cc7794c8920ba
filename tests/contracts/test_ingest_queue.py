"""What every IngestQueue in SQL does when several apps use it."""

import pytest
from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.submitted import SqlSubmitted
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import add

__all__ = ["base", "clock", "engine", "library", "migrated_file"]


@pytest.fixture
def queue(engine: Engine, library: Library) -> SqlSubmitted:
    return SqlSubmitted(engine, library.ingest_records)


def test_two_apps_may_submit_a_document_at_once(
    engine: Engine, library: Library, base: KnowledgeBase, queue: SqlSubmitted
) -> None:
    document = add(library, base, "a.pdf").id
    interleaved(engine, lambda: queue.submit(document), "document_id", lambda: queue.submit(document))
    assert queue.waiting() == [document]


def test_a_document_that_is_deleted_meanwhile_is_not_submitted(
    engine: Engine, library: Library, base: KnowledgeBase, queue: SqlSubmitted
) -> None:
    document = add(library, base, "a.pdf").id
    interleaved(
        engine, lambda: library.documents.delete(document), "DELETE FROM documents", lambda: queue.submit(document)
    )
    assert queue.waiting() == []
    queue.submit(document)
    assert queue.waiting() == []
