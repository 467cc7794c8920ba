"""All stores of documents over one database."""

from sqlalchemy import Engine

from core.documents.ports.library import Library
from core.documents.store.bases import Opened, SqlBases
from core.documents.store.documents import SqlDocuments
from core.documents.store.ingest_records import SqlIngestRecords
from core.documents.store.publications import SqlPublications
from core.platform.clock import Clock, utc_now
from core.search.store.passages import SqlPassages


def sql_library(engine: Engine, clock: Clock = utc_now, opened: Opened = lambda _: None) -> Library:
    """opened: called with the id of a base that is read."""
    return Library(
        SqlBases(engine, clock, opened),
        SqlDocuments(engine, clock, opened),
        SqlPublications(engine, clock),
        SqlPassages(engine),
        SqlIngestRecords(engine),
    )
