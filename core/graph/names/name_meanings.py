"""Entity names by meaning: a question in one script finds names that are written in another."""

import threading
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.platform.language.detect import is_unspaced

MOST_NAMES = 20_000
"""Names with vectors, the most mentioned of a base: 10 MB."""
BATCH = 64
WAIT_SECONDS = 2.0
"""How long a search waits for vectors in progress; it then continues with the available ones."""
NEAR = 0.6
"""Least cosine: of forty pairs of terms 85 % are above it, of forty terms without their counterpart 5 %. In English
alone, of twenty pairs of synonyms that were written before they were compared 15 are, of the 380 other pairs none.
"""
MOST_COMPARED = 2_000
"""Names of each script that are compared with those of the other."""
_SCALE = 127.0
Vector = NDArray[np.int8]


class NameMeanings:
    """Vectors of names, computed in a background thread and cached by name, one byte per number."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, Vector] = {}
        self._lock = threading.Lock()
        self._making: threading.Thread | None = None

    def prepare(self, names: Iterable[str]) -> threading.Thread | None:
        """Starts a thread that computes missing vectors, unless one is running, and returns it."""
        with self._lock:
            if self._making and self._making.is_alive():
                return self._making
            missing = list(dict.fromkeys(name for name in islice(names, MOST_NAMES) if name not in self._vectors))
            if not missing:
                return None
            if len(self._vectors) + len(missing) > MOST_NAMES:
                self._vectors.clear()
            self._making = threading.Thread(target=self._make, args=(missing,), name="name-meanings", daemon=True)
            self._making.start()
            return self._making

    def nearest(self, names: Sequence[tuple[str, str]], query: str, limit: int, any_script: bool = False) -> list[str]:
        """Ids of the names in another script, or in any, that mean about what the query says, nearest first.

        names: (id, name); in the query's own script names of programs in small letters are left out. Empty where the
        embedder knows no meanings or fails: words then have to do.
        """
        try:
            if not query.strip() or not self._embedder.semantic:
                return []
            making = self.prepare(name for _, name in names)
            asked = np.asarray(self._embedder.embed_query(query), dtype=np.float32)
            if making:
                making.join(WAIT_SECONDS)
        except ServiceError:
            return []
        script = is_unspaced(query)
        asked_for = (it for it in names if is_unspaced(it[1]) != script or (any_script and _means(it[1])))
        known = [(id, vector) for id, name in asked_for if (vector := self._vectors.get(name)) is not None]
        if not known:
            return []
        cosines = np.stack([vector for _, vector in known]).astype(np.float32) @ asked / _SCALE
        best = np.argsort(-cosines, kind="stable")[: limit * 2]
        return list(dict.fromkeys(known[at][0] for at in best if cosines[at] >= NEAR))[:limit]

    def counterparts(self, names: Sequence[tuple[str, str]], least: float) -> list[tuple[str, str, float]]:
        """(id, id of the name in another script that means the same, cosine) where each is nearest to the other.

        names: (id, name), the most mentioned first. Names of programs in small letters mean nothing by themselves.
        """
        if not self._embedder.semantic:
            return []
        if making := self.prepare(name for _, name in names):
            making.join(WAIT_SECONDS)
        known = [(id, name, vector) for id, name in names if (vector := self._vectors.get(name)) is not None]
        unspaced = [(id, vector) for id, name, vector in known if is_unspaced(name)][:MOST_COMPARED]
        spaced = [(id, vector) for id, name, vector in known if not is_unspaced(name) and _means(name)][:MOST_COMPARED]
        if not unspaced or not spaced:
            return []
        one, other = (np.stack([vector for _, vector in side]).astype(np.float32) for side in (unspaced, spaced))
        cosines = one @ other.T / _SCALE**2
        nearest, back = cosines.argmax(axis=1), cosines.argmax(axis=0)
        mutual = [(row, int(column)) for row, column in enumerate(nearest) if back[column] == row]
        found = [(unspaced[row][0], spaced[at][0], float(cosines[row, at])) for row, at in mutual]
        return [each for each in found if each[2] >= least]

    def _make(self, names: Sequence[str]) -> None:
        for start in range(0, len(names), BATCH):
            batch = names[start : start + BATCH]
            try:
                made = self._embedder.embed(batch)
            except ServiceError:
                return
            vectors = np.rint(np.asarray(made, dtype=np.float32) * _SCALE).astype(np.int8)
            self._vectors |= zip(batch, vectors, strict=True)


def _means(name: str) -> bool:
    """Whether the name certainly consists of words: systemd and sysfs do not."""
    return not name.islower() or " " in name
