"""Input of every stage: the ports, and the document with its work folder."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Chunk, Document
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.background import run_apart
from core.documents.pipeline.engines import DocumentEngines
from core.documents.pipeline.parse_cache import ParseCache
from core.documents.pipeline.progress import StageReport
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.documents.ports.ingestion import IngestRecords
from core.documents.ports.publishing import Publications
from core.graph.model import Entity, ExtractedName, Mention
from core.platform.blobs.ports import Blobs
from core.platform.errors import attempted
from core.search.ports import ChunkIndex, LexicalIndex

Result = TypeVar("Result")
Link = Callable[
    [str, str, Sequence[Chunk], Sequence[Sequence[ExtractedName]]], tuple[tuple[Entity, ...], tuple[Mention, ...]]
]
"""(base id, document id, chunks, findings per chunk) -> entities and mentions; see core.graph.linking.linking.link."""
Replacing = Callable[[Document], AbstractContextManager[None]]
"""Context manager around publishing; see core.documents.lifecycle.removal.Removal.replacing."""


def nothing_replaced(document: Document) -> AbstractContextManager[None]:
    del document
    return nullcontext()


def nobody_waits() -> None:
    """Of documents that were not announced."""


@dataclass(frozen=True, slots=True)
class StageDeps:
    """Ports that the stages use."""

    bases: Bases
    documents: Documents
    publications: Publications
    records: IngestRecords
    files: FileStore
    engines: DocumentEngines
    parses: ParseCache
    chunk_index: ChunkIndex
    lexical_index: LexicalIndex
    link: Link
    replacing: Replacing = nothing_replaced
    shared: Blobs | None = None
    """Where other machines find stage results; None where there are none."""


Outcome = int | Exception
"""Of a document in a stage: the amount of work done, in the stage's unit, or why it was not."""


@dataclass(frozen=True, slots=True)
class Job:
    document: Document
    work: WorkFolder
    report: StageReport
    arrived: Callable[[], None] = nobody_waits
    """Called when the documents that go along are ready to be asked about; see JointExtractor."""

    def calculate(self, made: Callable[[], Result], check: Callable[[], None]) -> Result:
        """The result of a pure calculation, which check may end; in a thread of its own unless it is over at once."""
        if self.work.is_quick:
            check()
            return made()
        return run_apart(made, check)


def each(do: Callable[[StageDeps, Job], int]) -> Callable[[StageDeps, Sequence[Job]], list[Outcome]]:
    """A stage that takes one document after the other."""
    return lambda deps, jobs: [attempted(lambda job=job: do(deps, job)) for job in jobs]  # type: ignore[misc]
