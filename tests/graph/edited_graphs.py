"""Random edits of a graph of a few entities, the same for the same seed."""

import random
from collections.abc import Sequence
from typing import TypeVar

from core.graph.edits import EditKind, GraphEdit
from core.graph.model import Entity
from core.graph.resolution import editing

Given = TypeVar("Given")
_KINDS = (*(EditKind.MERGE,) * 4, EditKind.SPLIT, EditKind.RENAME, EditKind.RETYPE, EditKind.DELETE, EditKind.ALIAS)


class Editor:
    """Makes one edit after another; some are undone and redone."""

    def __init__(self, seed: int, entities: Sequence[Entity], chunk_ids: Sequence[str] = ()) -> None:
        """chunk_ids: passages that may be rejected; with them relations are stated too."""
        self._random = random.Random(seed)
        self._entities = entities
        self._chunk_ids = chunk_ids
        self._kinds = (*_KINDS, EditKind.STATE, EditKind.REJECT) if chunk_ids else _KINDS

    def choose(self, given: Sequence[Given]) -> Given:
        return self._random.choice(given)

    def next(self) -> GraphEdit:
        one, other, third = self._random.sample(list(self._entities), 3)
        kind = self._random.choice(self._kinds)
        if kind is EditKind.MERGE:
            return editing.merge(one, [other, third][: self._random.randint(1, 2)])
        if kind is EditKind.RETYPE:
            return editing.retype([one, other], self._random.choice(("PERSON", "PLACE")))
        simple = {
            EditKind.SPLIT: lambda: editing.split(one),
            EditKind.RENAME: lambda: editing.rename(one, f"Name {self._random.randint(1, 9)}"),
            EditKind.DELETE: lambda: editing.delete([one]),
            EditKind.ALIAS: lambda: editing.alias(one, f"Alias {self._random.randint(1, 9)}"),
            EditKind.STATE: lambda: editing.state(one, "leads", other, [("d0", 0)]),
            EditKind.REJECT: lambda: editing.reject(one, other, self.choose(self._chunk_ids)),
        }
        return simple[kind]()
