"""Knowledge bases."""

from collections.abc import Sequence
from typing import Protocol

from core.documents.model import KnowledgeBase


class Bases(Protocol):
    def all(self) -> list[KnowledgeBase]: ...

    def get(self, base_id: str) -> KnowledgeBase:
        """Raises NotFoundError."""

    def named(self, name: str) -> KnowledgeBase | None: ...

    def create(self, name: str) -> KnowledgeBase:
        """Raises InputError when the name is empty, too long or taken."""

    def rename(self, base_id: str, name: str) -> None: ...

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        """What a model is asked for from the next document on; none for the standard ones. Raises NotFoundError."""

    def delete(self, base_id: str) -> None: ...

    def restore(self, base: KnowledgeBase) -> None:
        """A base that was deleted, as it was, without documents; nothing happens when it is there.

        Raises InputError when its name is taken.
        """
