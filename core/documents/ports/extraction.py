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
    """Entities of texts. All chunks of a document at once, because one mention tells of another."""

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]: ...


class AnswerStore(Protocol):
    """Stored answers of a model, which survive a crash, so that a retry requests only those that are missing."""

    def get(self, key: str) -> str:
        """Empty when there is none."""

    def put(self, key: str, answer: str) -> None:
        """Whole or not at all."""


class JointAnswerStore(AnswerStore, Protocol):
    """Answers of one document, some of which came in calls shared with others."""

    def put_along(self, key: str, answer: str, others: "Sequence[StoredAnswer]") -> None:
        """Stores answers of several documents at once, faster than put() for each."""


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
    """Entities and relations found in a document's texts, and the usage of the model."""

    found: tuple[tuple[ExtractedName, ...], ...]
    """Entities of each text."""
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
        """Raises CancelledError. Where a model fails, rules take over."""


@runtime_checkable
class JointExtractor(DocumentExtractor, Protocol):
    """An extractor whose calls short documents share."""

    def expecting(self) -> AbstractContextManager[Callable[[], None]]:
        """Announces documents that are prepared inside the block, so that others wait to share calls with them."""

    def extract_together(
        self, orders: Sequence[ExtractionRequest], arrived: Callable[[], None]
    ) -> list[Extraction | Exception]:
        """For each what extract_document() returns or raises. arrived: from expecting(), called when all wait."""
