"""Which processes work together, and which of them are alive."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Literal, Protocol

Kind = Literal["app", "worker", "command"]
"""A command only answers its own questions."""


@dataclass(frozen=True, slots=True)
class ProcessInfo:
    id: str
    kind: Kind
    host: str
    started_at: datetime
    silent_seconds: float
    is_alive: bool


class Lease(Protocol):
    """This process among the others."""

    @property
    def id(self) -> str: ...

    def is_alive(self, owner_id: str) -> bool: ...

    def has_died(self, owner_id: str) -> bool:
        """Whether it is certainly dead, so that others continue its work; for a while it may be neither."""

    def leads(self) -> bool:
        """Whether this is the oldest living process of its kind, which does what only one should do."""

    def tidy(self) -> None:
        """Forgets processes of this kind that have ended and left nothing behind."""

    def close(self) -> None: ...


class WorkerLease(Lease, Protocol):
    """Lease of an ingestion process whose work others take over when it falls silent."""

    @property
    def is_lost(self) -> bool:
        """Whether others took this process for dead and took over its work: it must end."""

    def dead(self) -> list[str]:
        """Workers whose lease has run out. Empty until this process has been in touch for as long as a lease lasts."""

    def forget(self, owner_ids: Collection[str]) -> None:
        """Forgets processes whose work was taken over."""
