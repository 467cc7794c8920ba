"""Input of every stage: the ports, the engines of the current settings, and the document with its work folder."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import Protocol, TypeVar

from core.documents.estimating.forecast import Forecaster
from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Chunk, Document, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.background import run_apart
from core.documents.pipeline.parse_cache import ParseCache
from core.documents.pipeline.progress import StageReport
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.documents.ports.extraction import DocumentExtractor
from core.documents.ports.ingestion import IngestRecords
from core.documents.ports.parsing import DocumentParser
from core.documents.ports.publishing import Publications
from core.graph.model import Entity, ExtractedName, Mention
from core.models.ports import Llm
from core.platform.blobs.ports import Blobs
from core.platform.errors import attempted
from core.search.ports import ChunkIndex, LexicalIndex


class DocumentEngines(Protocol):
    """Parser, extractor and models of the current settings, which may change from one document to the next."""

    def parser(self, document: Document) -> DocumentParser:
        """The one chosen for the document, else the default one. Raises ConfigurationError."""

    def extractor(self) -> DocumentExtractor: ...

    def summary_model(self) -> Llm | None:
        """The model that writes summaries; None to select sentences instead."""

    def forecaster(self) -> Forecaster: ...

    def waits_elsewhere(self, document: Document, stage: Stage) -> bool:
        """Whether the stage mostly waits for a remote service."""


Result = TypeVar("Result")
Link = Callable[
    [str, str, Sequence[Chunk], Sequence[Sequence[ExtractedName]]], tuple[tuple[Entity, ...], tuple[Mention, ...]]
]
"""(base id, document id, chunks, findings per chunk) -> entities and mentions; see core.graph.linking.linking.link."""
Replacing = Callable[[Document], AbstractContextManager[None]]
"""Context manager around publishing; see core.app.lifecycle.Lifecycle.replacing."""


def nothing_replaced(document: Document) -> AbstractContextManager[None]:
    del document
    return nullcontext()


def nobody_waits() -> None:
    """Does nothing, where no documents were announced."""


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
"""Outcome of a stage for a document: the amount of work in the stage's unit, or the failure."""


@dataclass(frozen=True, slots=True)
class Job:
    document: Document
    work: WorkFolder
    report: StageReport
    arrived: Callable[[], None] = nobody_waits
    """Called when the documents of the group are ready for extraction; see JointExtractor."""

    def calculate(self, made: Callable[[], Result], check: Callable[[], None]) -> Result:
        """The result of a pure calculation, which check may end; in a thread of its own unless it is over at once."""
        if self.work.is_quick:
            check()
            return made()
        return run_apart(made, check)


def one_by_one(do: Callable[[StageDeps, Job], int]) -> Callable[[StageDeps, Sequence[Job]], list[Outcome]]:
    """A stage that takes one document after the other."""
    return lambda deps, jobs: [attempted(lambda job=job: do(deps, job)) for job in jobs]  # type: ignore[misc]
