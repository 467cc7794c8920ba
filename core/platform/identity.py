"""People who use the app, and the person on whose behalf the current work is done."""

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
    """Rights of a person in a knowledge base; each role includes the ones before it."""

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
    """Derived from the provider's issuer and subject. Empty for the only user of an installation and for the system."""
    name: str = ""
    email: str = ""
    groups: tuple[str, ...] = ()
    admin: bool = False
    """Whether the person sees settings, usage and the audit log, but not the data of others."""


@dataclass(frozen=True, slots=True)
class Share:
    base_id: str
    subject: str
    role: Role
    name: str = ""
    """Name of the person or the group for display."""


AUDIT_DAYS = 365
"""Retention of the audit log."""
USAGE_DAYS = 30
"""Time for which administrators see what each person used."""
ENDED_DAYS = 365
"""Retention of ended sign-ins: their cookies last 30 days, open pages longer."""


@dataclass(frozen=True, slots=True)
class AuditEntry:
    """An action, without any contents."""

    at: datetime
    person_id: str
    action: str
    target: str
    """An id."""


@dataclass(frozen=True, slots=True)
class PersonUsage:
    """Usage of a person in a period, without contents."""

    person: Person
    questions: int = 0
    tokens: int = 0
    seconds: float = 0.0
    bases: int = 0
    documents: int = 0


def group_subject(group: str) -> str:
    return f"group:{group}"


SYSTEM = Person("")
"""Maintenance, the ingestion process and the command line: they see everything, as the user who starts them can."""
_ACTING: ContextVar[Person | None] = ContextVar("acting", default=None)
_ASKED: list[Callable[[], Person | None]] = []


def acting() -> Person | None:
    """The person on whose behalf the work is done; None if unknown."""
    person = _ACTING.get()
    if person is None:
        person = next((found for ask in _ASKED if (found := ask())), None)
    return person


def acting_id() -> str:
    """Id of the owner of what is created now."""
    person = acting()
    return person.id if person else ""


def acting_name() -> str:
    """Name of the person who makes a change; empty if there is only one."""
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
    """Registers a function that returns the person where acting_as() is not in use, as in callbacks of frameworks."""
    if ask not in _ASKED:
        _ASKED.append(ask)


def on_behalf(work: Callable[..., Made]) -> Callable[..., Made]:
    """Wraps work for another thread so that it is done on behalf of the same person: threads inherit no context."""
    person = acting()
    return work if person is None else partial(_as, person, work)


def _as(person: Person, work: Callable[..., Made], *given: object) -> Made:
    with acting_as(person):
        return work(*given)
