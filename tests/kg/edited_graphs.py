"""Random edits of a graph of a few entities, the same for the same seed."""

import random
from collections.abc import Sequence

from core.domain.graph_edits import EditKind, GraphEdit
from core.domain.knowledge import Entity
from core.kg import editing

_KINDS = (*(EditKind.MERGE,) * 4, EditKind.SPLIT, EditKind.RENAME, EditKind.RETYPE, EditKind.DELETE, EditKind.ALIAS)


class Editor:
    """Makes one edit after another; some are undone and redone."""

    def __init__(self, seed: int, entities: Sequence[Entity]) -> None:
        self._random = random.Random(seed)
        self._entities = entities

    def choose(self, numbers: Sequence[int]) -> int:
        return self._random.choice(numbers)

    def next(self) -> GraphEdit:
        one, other, third = self._random.sample(list(self._entities), 3)
        kind = self._random.choice(_KINDS)
        if kind is EditKind.MERGE:
            return editing.merge(one, [other, third][: self._random.randint(1, 2)])
        if kind is EditKind.RETYPE:
            return editing.retype([one, other], self._random.choice(("PERSON", "PLACE")))
        simple = {
            EditKind.SPLIT: lambda: editing.split(one),
            EditKind.RENAME: lambda: editing.rename(one, f"Name {self._random.randint(1, 9)}"),
            EditKind.DELETE: lambda: editing.delete([one]),
            EditKind.ALIAS: lambda: editing.alias(one, f"Alias {self._random.randint(1, 9)}"),
        }
        return simple[kind]()
