"""Ingestion: the engines that read documents, the queue and the process that works on it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from core.app.lazy import Area, configured, lazy
from core.app.models import Models
from core.app.storage import Storage
from core.documents.estimating.forecast import Forecaster
from core.documents.model import Document, Stage
from core.documents.parsing.ocr import installed as ocr_package
from core.documents.parsing.pdf.child_tasks import measure_file
from core.documents.pipeline.dispatch import ATTEMPTS
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.supervisor import Supervisor, stored
from core.documents.store.submitted import SqlSubmitted
from core.models.chat.slots import SlottedLlm
from core.models.ports import BUILT_IN, OF_A_SERVICE, Llm
from core.platform.errors import AppError
from core.platform.processes.leases import SqlLease

if TYPE_CHECKING:
    from core.documents.ports.extraction import DocumentExtractor
    from core.documents.ports.ingestion import IngestEngine, SubmittedDocuments
    from core.documents.ports.parsing import DocumentParser
    from core.platform.processes.ports import WorkerLease

DOCUMENTS_AT_ONCE = 128
"""Limit of the documents in progress; most wait, because eight calls of a model cover a hundred small documents."""
SHARED_DOCUMENTS_AT_ONCE = 8
"""Limit of each worker if several share the queue: one must not hold what another could read."""
PROCESS = "core.app.ingestion_process"


class ConfiguredEngines(Area):
    """DocumentEngines by the settings at the time of use."""

    def __init__(self, models: Models) -> None:
        super().__init__(models.configuration)
        self._models = models

    @configured
    def _extractor(self) -> DocumentExtractor:
        from core.app.extractors import extractor_of

        return extractor_of(self.settings, self._models.document_llm, self._models.entity_tagger)

    def parser(self, document: Document) -> DocumentParser:
        from core.app.parsers import parser_for

        self.configuration.refresh()
        return parser_for(document.media_type, self._parser_name(document), self.settings, self.settings.data / "work")

    def extractor(self) -> DocumentExtractor:
        self.configuration.refresh()
        return self._extractor

    def summary_model(self) -> Llm | None:
        return None if self.extractor().engine == BUILT_IN else self._models.document_llm

    def forecaster(self) -> Forecaster:
        self.configuration.refresh()
        settings = self.settings
        by_model = settings.extraction == "model" and self._models.llm.engine != BUILT_IN
        model = self._models.document_llm if by_model else None
        pace = model.pace if isinstance(model, SlottedLlm) else OF_A_SERVICE
        limit = settings.ingest_max_tokens
        return Forecaster(measure_file, settings.parser, by_model, limit, self.reads_pictures, pace)

    @property
    def reads_pictures(self) -> bool:
        """Whether the built-in parser reads scans and pictures, by the settings as they are."""
        return self.settings.ocr != "off" and bool(self.ocr)

    @property
    def ocr(self) -> str:
        """Name and version of what can read pictures here; empty when nothing can."""
        return ocr_package.identity() if ocr_package.is_installed() else ""

    def waits_elsewhere(self, document: Document, stage: Stage) -> bool:
        """Whether a MinerU service or a model is waited for."""
        from core.app.parsers import reads_elsewhere

        if stage is Stage.EXTRACT:
            return self.extractor().engine != BUILT_IN
        self.configuration.refresh()
        return stage is Stage.PARSE and reads_elsewhere(document.media_type, self._parser_name(document))

    def _parser_name(self, document: Document) -> str:
        return document.parser_choice or self.settings.parser


class Ingestion(Area):
    def __init__(self, models: Models, storage: Storage) -> None:
        super().__init__(models.configuration)
        self._storage = storage
        self.engines = ConfiguredEngines(models)

    @lazy
    def queue(self) -> SubmittedDocuments:
        records = self._storage.library.ingest_records
        if not self.settings.is_shared:
            return SpoolQueue(self.settings.data / "spool", records)
        return SqlSubmitted(self._storage.engine, records)

    @lazy
    def durable_engine(self) -> IngestEngine:
        from core.documents.pipeline.dbos_engine import DbosEngine

        if self.settings.is_shared:
            return DbosEngine(self.settings.queue_url, SHARED_DOCUMENTS_AT_ONCE, ATTEMPTS, self.lease.id)
        return DbosEngine(self.settings.queue_url, DOCUMENTS_AT_ONCE, ATTEMPTS)

    @lazy
    def lease(self) -> WorkerLease:
        """Lease of this process among the workers that share the database."""
        return SqlLease(self._storage.engine, "worker", self.settings.lease_seconds)

    def start(self) -> None:
        """Starts the ingestion process, unless the installation runs its own workers."""
        if not self.settings.is_shared:
            self.supervisor.start()

    @lazy
    def supervisor(self) -> Supervisor:
        return Supervisor(self.settings.data, PROCESS)

    @property
    def has_started(self) -> bool:
        """Whether a process of ours has been ready; workers of an installation that shares a database are not ours."""
        return self.settings.is_shared or self.supervisor.was_ready

    @property
    def fault(self) -> AppError | None:
        """What keeps documents from being read, as far as it is known here."""
        if self.settings.is_shared:
            workers = [each for each in self._storage.processes() if each.kind == "worker" and each.is_alive]
            return None if workers else AppError("ingest.error.no_worker")
        own = self.supervisor.fault if self.made("supervisor") else None
        return own or stored(self.settings.data)

    @contextmanager
    def running(self) -> Iterator[None]:
        """Runs the ingestion process within; one that already works on the data folder will do."""
        self.start()
        try:
            yield
        finally:
            if self.made("supervisor"):
                self.supervisor.stop()

    def close(self) -> None:
        if self.made("supervisor"):
            self.supervisor.stop()
        if self.made("lease"):
            self.lease.close()
