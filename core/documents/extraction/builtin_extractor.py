"""Entity extraction from English and Chinese texts, without a model."""

from core.documents.ports.extraction import Extraction, ExtractionRequest
from core.models.ports import BUILT_IN
from core.rulebook.extraction import NameExtractor


class BuiltinExtractor(NameExtractor):
    """DocumentExtractor."""

    engine = BUILT_IN

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        return Extraction(tuple(map(tuple, self.extract(order.texts))))
