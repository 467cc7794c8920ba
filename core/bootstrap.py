"""The composition root: the only file that knows every adapter. Each part is made when it is first used."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Generic, Self, TypeVar, overload

from core.domain.documents import KnowledgeBase
from core.ports import (
    ChunkIndex,
    DocumentParser,
    Embedder,
    Extractor,
    KnowledgeGraph,
    LexicalIndex,
    Library,
    Llm,
    MemoryStore,
    Retriever,
    RunLog,
    Threads,
)
from core.settings import Settings

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from core.adapters.page_images import PageImages
    from core.ingest.files import FileStore
    from core.ingest.intake import Intake
    from core.ingest.supervisor import Supervisor
    from core.ports import IngestQueue
    from core.runs.worker import RunWorker

Part = TypeVar("Part")


class part(Generic[Part]):  # noqa: N801  # used like property
    """A property that is computed once, also when two threads ask at the same time."""

    def __init__(self, make: Callable[["Services"], Part]) -> None:
        self.make = make
        self.name = make.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: "Services", kind: type) -> Part: ...
    def __get__(self, owner: "Services | None", kind: type) -> "Part | Self":
        if owner is None:
            return self
        with owner.lock:
            if self.name not in owner.parts:
                owner.parts[self.name] = self.make(owner)
            return owner.parts[self.name]  # type: ignore[return-value]
