"""Extractors of entities and relations."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from core.domain.knowledge import Found, FoundRelation
from core.domain.runs import Usage
from core.ports.metering import Cancel
from core.ports.parsing import Progress


class Extractor(Protocol):
    """Entities of texts. All chunks of a document at once, because document statistics decide what is a term."""

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]: ...


class AnswerStore(Protocol):
    """Answers of a model that were paid for: they outlive a crash, and a retry asks only for those that are missing."""

    def get(self, key: str) -> str:
        """Empty when there is none."""

    def put(self, key: str, answer: str) -> None:
        """Whole or not at all."""


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """One document to be searched for entities."""

    texts: Sequence[str]
    language: str
    types: tuple[str, ...]
    """Classes that a model is asked for; empty means the standard ones. The rules know the standard ones only."""
    answers: AnswerStore
    cancel: Cancel
    progress: Progress
    """Called with (texts done, all texts)."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a document's texts, and what it took."""

    found: tuple[tuple[Found, ...], ...]
    """One row a text."""
    relations: tuple[FoundRelation, ...] = ()
    notes: tuple[str, ...] = ()
    """As core.domain.documents writes them."""
    usage: Usage = field(default_factory=Usage)


class DocumentExtractor(Extractor, Protocol):
    """The extractor of whole documents, by rules or by a model."""

    @property
    def engine(self) -> str:
        """BUILT_IN, or the model's name."""

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        """Raises CancelledError. A model that fails costs its part the model, not the document its entities."""
