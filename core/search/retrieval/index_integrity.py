"""Checks that the indexes hold what the library holds, and rebuilds them from it.

A lost index must not look like a search without hits.
"""

from enum import Enum
from time import monotonic

from core.documents.ports.bases import Bases
from core.platform.errors import ServiceError
from core.search.ports import LEVELS, ChunkIndex, LexicalIndex, Passages

MOST_CHANGES = 3
"""Changes by other processes that are tolerated while a level is counted."""
COUNTED_SECONDS = 30.0
"""How long a level counts as complete after its vectors were deleted without a new version."""


class Searchable(Enum):
    """How a level of a base can be searched."""

    NOT = "not"
    """There are no entries of ready documents."""
    BY_WORDS = "by words"
    """Vectors are still to be made."""
    PARTLY = "partly"
    """By words and by the vectors made so far."""
    BY_BOTH = "by both"


class IndexIntegrity:
    """Counts each version of a level once, and again while its vectors are being made and after COUNTED_SECONDS."""

    def __init__(self, bases: Bases, lexical_index: LexicalIndex, chunk_index: ChunkIndex) -> None:
        self._bases = bases
        self._lexical_index = lexical_index
        self._chunk_index = chunk_index
        self._checked: dict[tuple[str, str], tuple[int, float, Searchable]] = {}

    def searchable(self, base_id: str, level: str) -> Searchable:
        """Raises ServiceError when an index holds fewer entries than it should."""
        version = self._bases.get(base_id).index_version
        checked, counted_at, found = self._checked.get((base_id, level), (-1, 0.0, Searchable.NOT))
        if checked != version or monotonic() - counted_at > COUNTED_SECONDS:
            found = self._check(base_id, level)
            if found in (Searchable.NOT, Searchable.BY_BOTH):
                self._checked[base_id, level] = version, monotonic(), found
        return found

    def _check(self, base_id: str, level: str) -> Searchable:
        """Words are indexed before a document is published, so they never lag; vectors are noted after they are."""
        made = self._chunk_index.progress(base_id, [level])
        for _ in range(MOST_CHANGES):
            before = made
            if not before.total:
                return Searchable.NOT
            words = self._lexical_index.count(base_id, level)
            vectors = self._chunk_index.count(base_id, level) if before.done else 0
            made = self._chunk_index.progress(base_id, [level])
            if made == before:
                break
        _check_complete(words, min(before.total, made.total))
        _check_complete(vectors, min(before.done, made.done))
        if not made.done:
            return Searchable.BY_WORDS
        return Searchable.BY_BOTH if made.is_complete else Searchable.PARTLY


def _check_complete(found: int, expected: int) -> None:
    if found < expected:
        raise ServiceError("retrieval.index_incomplete", found=found, expected=expected)


def rebuild(bases: Bases, passages: Passages, base_id: str, indexes: tuple[ChunkIndex, LexicalIndex]) -> int:
    """The number of chunks. Raises NotFoundError for an unknown base.

    Words are indexed at once, and can be searched all the time; vectors are left to the VectorBuilder, which continues
    after an interruption.
    """
    bases.get(base_id)
    chunk_index, lexical_index = indexes
    written = {level: lexical_index.replace(base_id, level, passages.index_entries(base_id, level)) for level in LEVELS}
    chunk_index.delete_base(base_id)
    return written["chunks"]
