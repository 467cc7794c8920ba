"""Whether the indexes hold what the library holds: a lost index must not look like a search without hits."""

from collections.abc import Sequence

from core.domain.documents import DocumentStatus
from core.errors import ServiceError
from core.ports import ChunkIndex, LexicalIndex, Library


class Wholeness:
    """Counts once for each version of a base; documents are indexed before they are published, so counts never lag."""

    def __init__(self, library: Library, indexes: Sequence[ChunkIndex | LexicalIndex]) -> None:
        self._library = library
        self._indexes = indexes
        self._checked: dict[str, tuple[int, bool]] = {}

    def has_chunks(self, base_id: str) -> bool:
        """False for a base without ready documents. Raises ServiceError when an index holds fewer chunks than it."""
        version = self._library.base(base_id).index_version
        checked, found = self._checked.get(base_id, (-1, False))
        if checked != version:
            found = self._check(base_id)
            self._checked[base_id] = (version, found)
        return found

    def _check(self, base_id: str) -> bool:
        documents = self._library.documents(base_id)
        expected = sum(document.chunks for document in documents if document.status is DocumentStatus.READY)
        for index in self._indexes if expected else ():
            found = index.count(base_id, "chunks")
            if found < expected:
                raise ServiceError("retrieval.index_incomplete", found=found, expected=expected)
        return expected > 0
