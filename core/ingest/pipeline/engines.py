"""Parser, extractor and summary model for the current settings."""

from typing import Protocol

from core.domain.documents import Document, Stage
from core.ingest.estimating.forecast import Forecaster
from core.models.ports import Llm
from core.ports.extraction import DocumentExtractor
from core.ports.parsing import DocumentParser


class DocumentEngines(Protocol):
    """Read anew for each document, because settings change while the ingestion process runs."""

    def parser(self, document: Document) -> DocumentParser:
        """The one chosen for the document, else the default one. Raises ConfigurationError."""

    def extractor(self) -> DocumentExtractor: ...

    def summary_model(self) -> Llm | None:
        """The model that writes summaries; None to select sentences instead."""

    def forecaster(self) -> Forecaster: ...

    def waits_elsewhere(self, document: Document, stage: Stage) -> bool:
        """Whether the stage mostly waits for a remote service."""
