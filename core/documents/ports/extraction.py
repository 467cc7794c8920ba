"""Extractors of entities and relations."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

from core.documents.ports.parsing import Progress
from core.graph.model import ExtractedName, FoundRelation
from core.models.meter import Cancel
from core.runs.model import Usage


class Extractor(Protocol):
    """Entities of texts. All chunks of a document at once, because document statistics decide what is a term."""

    def extract(self, texts: Sequence[str], language: str) -> list[list[ExtractedName]]: ...


class AnswerStore(Protocol):
    """Answers of a model that were paid for: they outlive a crash, and a retry asks only for those that are missing."""

    def get(self, key: str) -> str:
        """Empty when there is none."""

    def put(self, key: str, answer: str) -> None:
        """Whole or not at all."""


class JointAnswerStore(AnswerStore, Protocol):
    """The answers of one document, some of which came together with those of others."""

    def put_along(self, key: str, answer: str, others: "Sequence[StoredAnswer]") -> None:
        """As put() for several stores of one kind, in less time."""


@dataclass(frozen=True, slots=True)
class StoredAnswer:
    """An answer and the store that it belongs to."""

    store: JointAnswerStore
    key: str
    answer: str


@dataclass(frozen=True, slots=True)
class ExtractionRequest:
    """One document to be searched for entities."""

    texts: Sequence[str]
    language: str
    types: tuple[str, ...]
    """Classes that a model is asked for; empty means the standard ones. The rules know the standard ones only."""
    answers: JointAnswerStore
    cancel: Cancel
    progress: Progress
    """Called with (texts done, all texts)."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a document's texts, and what it took."""

    found: tuple[tuple[ExtractedName, ...], ...]
    """One row a text."""
    relations: tuple[FoundRelation, ...] = ()
    notes: tuple[str, ...] = ()
    """As core.documents.model writes them."""
    usage: Usage = field(default_factory=Usage)


class DocumentExtractor(Extractor, Protocol):
    """The extractor of whole documents, by rules or by a model."""

    @property
    def engine(self) -> str:
        """BUILT_IN, or the model's name."""

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        """Raises CancelledError. A model that fails costs its part the model, not the document its entities."""


@runtime_checkable
class JointExtractor(DocumentExtractor, Protocol):
    """Short documents share its calls."""

    def expecting(self) -> AbstractContextManager[Callable[[], None]]:
        """Within the block documents are made ready for it, which others wait for that would share a call with them."""

    def extract_together(
        self, orders: Sequence[ExtractionRequest], arrived: Callable[[], None]
    ) -> list[Extraction | Exception]:
        """Of each what extract_document() returns or raises. arrived, of expecting(), is called once all are there."""
