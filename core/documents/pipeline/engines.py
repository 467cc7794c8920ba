"""Parser, extractor and summary model for the current settings."""

from typing import Protocol

from core.documents.estimating.forecast import Forecaster
from core.documents.model import Document, Stage
from core.documents.ports.extraction import DocumentExtractor
from core.documents.ports.parsing import DocumentParser
from core.models.ports import Llm


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
