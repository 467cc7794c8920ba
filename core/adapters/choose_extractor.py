"""Which extractor the settings ask for: the built-in rules, or the configured model."""

from dataclasses import replace

from core.adapters.builtin_extractor import BuiltinExtractor
from core.errors import ConfigurationError
from core.llm.slots import SlottedLlm
from core.ports import DocumentExtractor, Extraction, ExtractionOrder, Llm
from core.settings import Settings


class RulesForNow(BuiltinExtractor):
    """Where a model is asked for and none is there: the rules, and a remark on every document that says so."""

    def __init__(self, note: str) -> None:
        self._note = note

    def extract_document(self, order: ExtractionOrder) -> Extraction:
        return replace(super().extract_document(order), notes=(self._note,))


def document_llm(settings: Settings, llm: Llm) -> Llm:
    """The model as documents share it; the built-in rules as they are."""
    from core.adapters.chat_llm import ChatLlm

    return SlottedLlm(llm, settings.ingest_calls_at_once) if isinstance(llm, ChatLlm) else llm


def from_settings(settings: Settings, llm: Llm) -> DocumentExtractor:
    if settings.extraction == "built-in":
        return BuiltinExtractor()
    try:
        return by_model(llm)
    except ConfigurationError as error:
        return RulesForNow(error.key)


def by_model(llm: Llm) -> DocumentExtractor:
    """Raises ConfigurationError when no model is configured."""
    if not isinstance(llm, SlottedLlm):
        raise ConfigurationError("extraction.no_model")
    from core.adapters.langextract_extractor import LangExtractExtractor

    return LangExtractExtractor(llm, BuiltinExtractor(), llm.number)
