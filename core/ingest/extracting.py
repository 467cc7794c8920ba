"""The third quarter of a document's way: what its chunks mention, what relates it, and what its sections are about."""

from core.domain.documents import Stage
from core.domain.runs import Usage
from core.ingest.artefacts import Assembled, Chunked, Extracted, WorkFolder
from core.ingest.progress import StageReport
from core.ingest.summarise import drafts
from core.ingest.summarise_model import Summariser, Written
from core.ports import DocumentExtractor, ExtractionOrder, Llm


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
    found = extractor.extract_document(order)
    written = Written((), Usage())
    if summary_model is not None:
        summariser = Summariser(summary_model, work.answers, report.cancel)
        own = drafts(document_id, assembled.pieces)
        written = summariser.write(assembled, own, lambda: report.advance(len(texts), len(texts)))
    return Extracted(found.found, found.relations, found.notes, found.usage + written.usage, written.summaries)
