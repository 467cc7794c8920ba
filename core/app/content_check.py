"""Checks that contents are unchanged: a few flipped bytes within a page of a database damage no structure.

Files are compared with the hash under which they were added, passages and summaries with the digest that was kept when
their vectors were made, and vectors with those that the texts have now.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import file_digest
from typing import TYPE_CHECKING, TypeVar

from core.app.record_check import OF_DOCUMENTS, RecordPart, edited_passages
from core.documents.lifecycle.graph_import import MEDIA_TYPE as GRAPH
from core.documents.model import Document, DocumentStatus
from core.search.ports import LEVELS

if TYPE_CHECKING:
    from core.app.services import Services

_EVERY = 1 << 31
_Part = TypeVar("_Part", "ContentPart", RecordPart)


class ContentPart(StrEnum):
    FILE = "file"
    TEXTS = "texts"
    VECTORS = "vectors"


@dataclass(frozen=True, slots=True)
class ChangedContent:
    """A part of a document whose contents have changed."""

    part: ContentPart | RecordPart
    document: Document
    count: int = 1
    """Number of passages and summaries, or of rows."""
    is_repairable: bool = True
    edited: int = 0
    """Number of passages whose text people edited; the repair keeps them with the earlier reading."""


class Uncompared(StrEnum):
    """Why a passage or a summary was not compared."""

    WITHOUT_VECTORS = "without vectors"
    """Nothing is kept of what its text was."""
    FROM_ENDPOINT = "from endpoint"
    """Its text was compared, but an endpoint may charge for a vector."""


@dataclass(frozen=True, slots=True)
class ContentComparison:
    changed: tuple[ChangedContent, ...]
    uncompared: Mapping[Uncompared, int]
    """Numbers of passages and summaries; reasons without any are left out."""


def compared(services: "Services", base_id: str) -> ContentComparison:
    """Contents of all documents of the base; may take long. Raises ServiceError for an unreadable index."""
    documents = {document.id: document for document in services.library.documents.of_base(base_id)}
    damaged = {id for id, document in documents.items() if not _is_whole(services, document)}
    changed = [ChangedContent(ContentPart.FILE, documents[id], is_repairable=False) for id in damaged]
    texts: Counter[str] = Counter()
    vectors: Counter[str] = Counter()
    uncompared: Counter[Uncompared] = Counter()
    for level in LEVELS:
        uncompared.update(_compare(services, base_id, level, texts, vectors))
    changed += _read(services, documents, damaged, {ContentPart.TEXTS: texts})
    changed += [ChangedContent(ContentPart.VECTORS, documents[id], count) for id, count in vectors.items()]
    return ContentComparison(tuple(changed), +uncompared)


def _is_whole(services: "Services", document: Document) -> bool:
    """An imported graph has no file, and one whose reading failed may have none."""
    path = services.storage.files.path(document.sha256)
    if not path.is_file():
        return document.media_type == GRAPH or document.status is not DocumentStatus.READY
    with path.open("rb") as file:
        return file_digest(file, "sha256").hexdigest() == document.sha256


def changed_readings(
    services: "Services", records: Mapping[RecordPart, Mapping[str, int]]
) -> tuple[ChangedContent, ...]:
    """Those of the records that reading a document makes, without rows of documents that are not there."""
    of_documents = {part: counts for part, counts in records.items() if part in OF_DOCUMENTS}
    ids = {id for counts in of_documents.values() for id in counts}
    documents = {document.id: document for document in services.library.documents.several(ids)}
    damaged = {id for id, document in documents.items() if not _is_whole(services, document)}
    return tuple(_read(services, documents, damaged, of_documents))


def _read(
    services: "Services",
    documents: Mapping[str, Document],
    damaged: Collection[str],
    found: Mapping[_Part, Mapping[str, int]],
) -> Iterator[ChangedContent]:
    """found: numbers of what reading makes, by document."""
    edited = edited_passages(services.storage.engine)
    for part, counts in found.items():
        for id, count in counts.items():
            if document := documents.get(id):
                is_repairable = id not in damaged and document.media_type != GRAPH
                yield ChangedContent(part, document, count, is_repairable, edited[id] if is_repairable else 0)


def _compare(
    services: "Services", base_id: str, level: str, texts: Counter[str], vectors: Counter[str]
) -> Counter[Uncompared]:
    """Counts changes by document. An entry whose text has changed is not asked about its vector."""
    index = services.search.chunk_index
    known = services.search.digests(base_id, level, _EVERY)
    uncompared: Counter[Uncompared] = Counter()
    for batch in services.library.passages.index_entries(base_id, level):
        made = [entry for entry in batch if entry.chunk_id in known]
        same = [entry for entry in made if known[entry.chunk_id] == entry.digest]
        texts.update(entry.document_id for entry in {*made} - {*same})
        uncompared[Uncompared.WITHOUT_VECTORS] += len(batch) - len(made)
        if services.search.makes_vectors_here:
            other = {*index.differing(base_id, level, same)}
            vectors.update(entry.document_id for entry in same if entry.chunk_id in other)
        else:
            uncompared[Uncompared.FROM_ENDPOINT] += len(same)
    return uncompared
