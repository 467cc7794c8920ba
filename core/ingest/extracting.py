"""The third quarter of a document's way: what its chunks mention, what relates it, and what its sections are about."""

from concurrent.futures import ThreadPoolExecutor

from core.domain.documents import Stage
from core.domain.runs import Usage
from core.errors import CancelledError
from core.ingest.artefacts import Assembled, Chunked, Extracted, WorkFolder
from core.ingest.progress import StageReport
from core.ingest.summarise import drafts
from core.ingest.summarise_model import Summariser, Written
from core.ports import Cancel, DocumentExtractor, ExtractionOrder, Llm


def extracted(
    document_id: str,
    work: WorkFolder,
    report: StageReport,
    types: tuple[str, ...],
    extractor: DocumentExtractor,
    summary_model: Llm | None,
) -> Extracted:
    """types: classes of the knowledge base; summary_model: None leaves summaries to the text's own sentences."""
    assembled = work.load(Stage.ASSEMBLE, Assembled)
    texts = [chunk.text for chunk in work.load(Stage.CHUNK, Chunked).chunks]
    report.start("chunks", len(texts))
    order = ExtractionOrder(texts, assembled.language, types, work.answers, report.cancel, report.advance)
    with ThreadPoolExecutor(1, "summaries") as beside:
        writing = beside.submit(_written, document_id, assembled, work, report.cancel, summary_model)
        found = extractor.extract_document(order)
        written = writing.result()
    return Extracted(found.found, found.relations, found.notes, found.usage + written.usage, written.summaries)


def _written(document_id: str, text: Assembled, work: WorkFolder, cancel: Cancel, model: Llm | None) -> Written:
    """Nothing without a model."""
    if model is None:
        return Written((), Usage())

    def heard() -> None:
        if cancel.requested():
            raise CancelledError("error.cancelled")

    return Summariser(model, work.answers, cancel).write(text, drafts(document_id, text.pieces), heard)
