"""Makes the vectors of published documents in batches, after they are searchable by words.

Remaining work is read from the database, so no state is kept: not after a crash, nor when a document
was restored, edited or parsed again, nor when another embedder was chosen and a base has to be made anew.
"""

import logging
from collections.abc import Callable
from contextlib import AbstractContextManager
from functools import partial
from threading import Event
from time import monotonic

from core.documents.model import KnowledgeBase
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.platform.errors import AppError, NotFoundError, attempted
from core.search.ports import ChunkIndex

_LOG = logging.getLogger(__name__)
BATCH = 64
"""Entries per batch; about a second of work."""
_LOOK_SECONDS = 1.0
_LOOK_AGAIN_SECONDS = 10.0
"""Interval for checking unchanged bases, whose index may have been rebuilt."""
_MOST_GROWING_SECONDS = 5.0
"""How long vectors wait at most while documents are being published."""
_RETRY_SECONDS = 30.0
"""Pause after a failure such as an unreachable embedding endpoint or a busy database."""


class VectorBuilder:
    def __init__(self, bases: Bases, documents: Documents, chunk_index: ChunkIndex) -> None:
        self._bases = bases
        self._documents = documents
        self._chunk_index = chunk_index
        self._versions: dict[str, int] = {}
        """Of every base, at the last look."""
        self._settled: dict[str, tuple[int, float]] = {}
        """Bases with all vectors: index version and time of the last check."""

    def step(self) -> bool:
        """Processes one batch of the first base that lacks vectors; False if none does. Raises ServiceError."""
        for base in self._bases.all():
            if not self._is_settled(base):
                if self.build(base.id):
                    return True
                self._settled[base.id] = base.index_version, monotonic()
        return False

    def build(self, base_id: str) -> int:
        """Returns the number of vectors made; other embedders' vectors are deleted once none is missing."""
        level, entries = self._chunk_index.pending(base_id, BATCH)
        if not entries:
            self._chunk_index.delete_other_embedders(base_id)
            return 0
        self._chunk_index.upsert(base_id, level, entries)
        self._drop_orphans(base_id, {entry.document_id for entry in entries})
        return len(entries)

    def serve(self, stop: Event, room: Callable[[], AbstractContextManager[None]]) -> None:
        """Runs until stop is set. room: slot that each batch waits for; documents in progress go first."""
        wait, waits_since = 0.0, monotonic()
        while not stop.wait(wait):
            may_wait = monotonic() - waits_since < _MOST_GROWING_SECONDS
            built = attempted(partial(self._build_all, stop, room, may_wait))
            if isinstance(built, Exception):  # the loop outlives a defect; documents stay found by their words
                _LOG.warning("no vectors for now: %s", built, exc_info=None if isinstance(built, AppError) else built)
            elif built:
                waits_since = monotonic()
            wait = _RETRY_SECONDS if isinstance(built, Exception) else _LOOK_SECONDS

    def _build_all(self, stop: Event, room: Callable[[], AbstractContextManager[None]], may_wait: bool) -> bool:
        """False where that waits, because documents are being published."""
        if self._grows() and may_wait:
            return False
        busy = True
        while busy and not stop.is_set():
            with room():
                busy = self.step()
        return True

    def _grows(self) -> bool:
        """Whether something was published since the last look: full batches take less time for each document."""
        before, self._versions = self._versions, {base.id: base.index_version for base in self._bases.all()}
        return bool(before) and before != self._versions

    def _is_settled(self, base: KnowledgeBase) -> bool:
        """Checking takes time in large bases, so unchanged ones are seldom checked."""
        version, looked_at = self._settled.get(base.id, (-1, 0.0))
        return version == base.index_version and monotonic() - looked_at < _LOOK_AGAIN_SECONDS

    def _drop_orphans(self, base_id: str, document_ids: set[str]) -> None:
        """Deletes vectors of entries that were removed while their vectors were being made."""
        try:
            self._bases.get(base_id)
        except NotFoundError:
            self._chunk_index.delete_base(base_id)
            return
        for document_id in document_ids:
            try:
                self._documents.get(document_id)
            except NotFoundError:
                self._chunk_index.delete_documents(base_id, [document_id])
