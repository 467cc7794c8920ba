"""Who uses the app, and on whose behalf the present work is done."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from functools import partial
from typing import TypeVar

Made = TypeVar("Made")


class Role(StrEnum):
    """What somebody may do with a knowledge base; each includes the ones before it."""

    READER = "reader"
    """Read, search and ask."""
    EDITOR = "editor"
    """Also upload, change and delete documents, and edit the graph."""
    OWNER = "owner"
    """Also share and delete the base."""

    def includes(self, other: "Role") -> bool:
        order = tuple(Role)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class Person:
    id: str
    """Follows from the provider's issuer and subject. Empty for the only person of a single desk and for the system."""
    name: str = ""
    email: str = ""
    groups: tuple[str, ...] = ()
    admin: bool = False
    """Sees settings, usage and the audit log; not what others keep."""


@dataclass(frozen=True, slots=True)
class Share:
    base_id: str
    subject: str
    role: Role
    name: str = ""
    """Of the person or the group, to be shown."""


AUDIT_DAYS = 365
"""How long the audit log is kept."""
ENDED_DAYS = 365
"""How long a sign-in that was ended is remembered: its cookie lasts 30 days, a page that was left open longer."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """What was done, never what it said."""

    at: datetime
    person_id: str
    action: str
    target: str
    """An id."""


@dataclass(frozen=True, slots=True)
class PersonUsage:
    """What a person used in a stretch of time, without what it was about."""

    person: Person
    questions: int = 0
    tokens: int = 0
    seconds: float = 0.0
    bases: int = 0
    documents: int = 0


def group_subject(group: str) -> str:
    return f"group:{group}"


SYSTEM = Person("")
"""Upkeep, the ingestion process and the command line: they see everything, as whoever started them could anyway."""
_ACTING: ContextVar[Person | None] = ContextVar("acting", default=None)
_ASKED: list[Callable[[], Person | None]] = []


def acting() -> Person | None:
    """The person the work is done for; None where nobody has said so."""
    person = _ACTING.get()
    if person is None:
        person = next((found for ask in _ASKED if (found := ask())), None)
    return person


def acting_id() -> str:
    """The owner of what is made now."""
    person = acting()
    return person.id if person else ""


def acting_name() -> str:
    """Who makes a change; empty on a desk that has only one person."""
    person = acting()
    return person.name if person else ""


@contextmanager
def acting_as(person: Person) -> Iterator[None]:
    token = _ACTING.set(person)
    try:
        yield
    finally:
        _ACTING.reset(token)


def ask_who_acts(ask: Callable[[], Person | None]) -> None:
    """For frameworks that call without a context of ours: asked where acting_as() has not been used."""
    if ask not in _ASKED:
        _ASKED.append(ask)


def on_behalf(work: Callable[..., Made]) -> Callable[..., Made]:
    """The work for another thread, done for the person who acts here: threads do not inherit that."""
    person = acting()
    return work if person is None else partial(_as, person, work)


def _as(person: Person, work: Callable[..., Made], *given: object) -> Made:
    with acting_as(person):
        return work(*given)
