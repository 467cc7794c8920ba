"""Chooses the extractor by the settings: the built-in one, or the configured model."""

from collections.abc import Callable
from dataclasses import replace

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.extraction.relation_extractor import RelationExtractor
from core.documents.ports.extraction import DocumentExtractor, Extraction, ExtractionRequest
from core.models.chat.llm import ChatLlm
from core.models.chat.slots import SlottedLlm, nobody_asks
from core.models.ports import BUILT_IN, EntityTagger, Llm
from core.platform.errors import ConfigurationError
from core.platform.settings.settings import Settings


class BuiltinForNow(BuiltinExtractor):
    """The built-in extractor in place of a configured model that is missing, with a note on every document."""

    def __init__(self, note: str, tagger: EntityTagger) -> None:
        super().__init__(tagger)
        self._note = note

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        return replace(super().extract_document(order), notes=(self._note,))


def document_llm(llm: Llm, is_asked: Callable[[], bool] = nobody_asks) -> Llm:
    """The model as documents share it; the engine without a model as it is."""
    return SlottedLlm(llm, llm.config.pace, is_asked) if isinstance(llm, ChatLlm) else llm


def extractor_of(settings: Settings, llm: Llm, tagger: EntityTagger) -> DocumentExtractor:
    if settings.extraction == BUILT_IN:
        return BuiltinExtractor(tagger)
    try:
        return by_model(llm, tagger)
    except ConfigurationError as error:
        return BuiltinForNow(error.key, tagger)


def by_model(llm: Llm, tagger: EntityTagger) -> DocumentExtractor:
    """Raises ConfigurationError when no model is configured."""
    if not isinstance(llm, SlottedLlm):
        raise ConfigurationError("extraction.no_model")
    if llm.pace.most_units:
        return RelationExtractor(llm, llm.pace, BuiltinExtractor(tagger))
    from core.documents.extraction.langextract.extractor import LangExtractExtractor

    return LangExtractExtractor(llm, BuiltinExtractor(tagger), llm.pace)
