"""Keys of programs that use the HTTP interface."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

MAX_KEY_NAME = 80


class KeyScope(StrEnum):
    """What a key allows; each includes the ones before it."""

    ASK = "ask"
    """Search and ask documents and the graph; for programs of others: what somebody asked and is remembered of them
    stays with them."""
    READ = "read"
    """Also see conversations, runs, memories and evaluations, without changing them."""
    WRITE = "write"
    """Also ask in conversations, and add, change and delete documents, memories and parts of the graph."""
    ADMIN = "admin"
    """Also make, rename and delete knowledge bases."""

    def includes(self, other: "KeyScope") -> bool:
        order = tuple(KeyScope)
        return order.index(self) >= order.index(other)


@dataclass(frozen=True, slots=True)
class ApiKey:
    """A key without its secret, of which only a hash is stored."""

    id: str
    name: str
    scope: KeyScope
    hint: str
    """The first characters, by which its owner recognises it."""
    created_at: datetime
    last_used_at: datetime | None = None
    """Time of the last use, to the minute."""
    revoked_at: datetime | None = None
    owner_id: str = ""
    """The person that the program works for; empty on a single desk."""
