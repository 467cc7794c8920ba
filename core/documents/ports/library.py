"""Everything that is stored of documents, for use cases that work through most of it."""

from dataclasses import dataclass

from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestRecords
from core.documents.ports.publishing import Publications
from core.search.ports import Passages


@dataclass(frozen=True, slots=True)
class Library:
    """The stores of one database. Whoever needs one or two of them takes these alone."""

    bases: Bases
    documents: Documents
    publications: Publications
    passages: Passages
    ingest_records: IngestRecords
