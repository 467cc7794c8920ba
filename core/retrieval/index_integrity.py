"""Whether the indexes hold what the library holds: a lost index must not look like a search without hits."""

from enum import Enum

from core.errors import ServiceError
from core.ports.bases import Bases
from core.ports.search import ChunkIndex, LexicalIndex


class Searchable(Enum):
    """By what a base can be searched."""

    NOT = "not"
    """It has no ready documents."""
    BY_WORDS = "by words"
    """Its vectors are still to be made."""
    BY_BOTH = "by both"


class IndexIntegrity:
    """Counts once for each version of a base, and again while its vectors are being made."""

    def __init__(self, bases: Bases, lexical_index: LexicalIndex, chunk_index: ChunkIndex) -> None:
        self._bases = bases
        self._lexical_index = lexical_index
        self._chunk_index = chunk_index
        self._checked: dict[str, tuple[int, Searchable]] = {}

    def searchable(self, base_id: str) -> Searchable:
        """Raises ServiceError when an index holds fewer chunks than it should."""
        version = self._bases.get(base_id).index_version
        checked, found = self._checked.get(base_id, (-1, Searchable.NOT))
        if checked != version:
            found = self._check(base_id)
            if found is Searchable.NOT or self._chunk_index.progress(base_id).is_complete:
                self._checked[base_id] = (version, found)
        return found

    def _check(self, base_id: str) -> Searchable:
        """Words are indexed before a document is published, so they never lag; vectors are noted after they are."""
        vectors = self._chunk_index.progress(base_id)
        if not vectors.total:
            return Searchable.NOT
        words = self._lexical_index.count(base_id, "chunks")
        if words < vectors.total:
            raise ServiceError("retrieval.index_incomplete", found=words, expected=vectors.total)
        if not vectors.done:
            return Searchable.BY_WORDS
        found = self._chunk_index.count(base_id, "chunks")
        expected = min(vectors.done, self._chunk_index.progress(base_id).done)  # some may have gone meanwhile
        if found < expected:
            raise ServiceError("retrieval.index_incomplete", found=found, expected=expected)
        return Searchable.BY_BOTH
