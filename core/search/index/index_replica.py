"""A replica of the word index in a data folder of its own, which follows the order of publications in SQL.

Only published documents are written to it, by whichever process of the folder is first.
"""

import json
import logging
import threading
import time
from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from core.platform.errors import AppError, RetryableServiceError
from core.platform.files.atomic_file import write_replaceable
from core.platform.identity import SYSTEM, acting_as
from core.search.index.lock import exclusive
from core.search.index.tantivy_index import TantivyIndex
from core.search.ports import LEVELS, IndexChanges, IndexEntry, Position

_LOG = logging.getLogger(__name__)
_POLL_SECONDS = 1.0
_WAIT_SECONDS = 10.0
"""How long a question waits for the words of documents published just now."""
_AT_ONCE = 200
"""Documents in one commit."""
_LAST = "~"
"""Sorts after the ids of all documents, which are letters and digits."""


class ReplicatedWords(TantivyIndex):
    """LexicalIndex that updates itself: in serve(), and before a base is counted."""

    def __init__(self, folder: Path, changes: IndexChanges) -> None:
        super().__init__(folder)
        self._changes = changes
        self._place = folder

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        """Does nothing: the replica follows what is published."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None:
        """Does nothing: the replica follows what is published."""

    def delete_base(self, base_id: str) -> None:
        """Does nothing: the replica follows what is published."""

    def replace(self, base_id: str, level: str, batches: Iterable[Sequence[IndexEntry]]) -> int:
        """The position stays as it is: what was published meanwhile is applied once more."""
        with self._alone(_WAIT_SECONDS):
            return super().replace(base_id, level, batches)

    def count(self, base_id: str, level: str) -> int:
        """Raises RetryableServiceError while too much of what is published is missing."""
        with acting_as(SYSTEM):
            version = self._changes.versions().get(base_id, 0)
            if self._positions().get(base_id, Position()).version < version:
                self.catch_up(base_id, _WAIT_SECONDS)
        return super().count(base_id, level)

    def lag(self) -> dict[str, int]:
        """Number of versions of each base that are missing here."""
        positions = self._positions()
        with acting_as(SYSTEM):
            found = self._changes.versions()
        return {
            base_id: max(0, version - positions.get(base_id, Position()).version) for base_id, version in found.items()
        }

    def catch_up(self, base_id: str, seconds: float) -> None:
        """Raises RetryableServiceError when it takes longer; finished work is kept."""
        deadline = time.monotonic() + seconds
        with acting_as(SYSTEM), self._alone(seconds):
            while not self._step(base_id, self._changes.versions().get(base_id, 0)):
                if time.monotonic() > deadline:
                    raise RetryableServiceError("retrieval.words_behind", count=self.lag().get(base_id, 0))

    def serve(self, stop: threading.Event) -> None:
        """Follows until stop is set."""
        while not stop.wait(_POLL_SECONDS):
            try:
                with acting_as(SYSTEM), self._alone(0.0):
                    self._follow(stop)
            except AppError as error:  # the database or the disk; or another process of the folder follows
                _LOG.debug("the words are not followed: %s", error)

    def _follow(self, stop: threading.Event) -> None:
        versions = self._changes.versions()
        for base_id in self._positions().keys() - versions.keys():
            TantivyIndex.delete_base(self, base_id)
            self._keep({id: place for id, place in self._positions().items() if id != base_id})
        for base_id, version in versions.items():
            while not stop.is_set() and not self._step(base_id, version):
                pass

    def _step(self, base_id: str, version: int) -> bool:
        """Applies the next changes; whether the base has come to the version."""
        position = self._positions().get(base_id, Position())
        if position.version > version or not self._is_there(base_id):  # a database from a backup, or a lost folder
            position = Position()
        if position.version >= version and position.document_id == _LAST:
            return True
        changed = self._changes.since(base_id, position, _AT_ONCE)
        self._apply(base_id, [change.document_id for change in changed], anew=position == Position())
        is_done = len(changed) < _AT_ONCE
        reached = Position(max(version, changed[-1].version if changed else 0), _LAST) if is_done else changed[-1]
        self._keep({**self._positions(), base_id: reached})
        return is_done

    def _apply(self, base_id: str, document_ids: Sequence[str], anew: bool) -> None:
        for level in LEVELS:
            entries = self._changes.entries(base_id, level, document_ids)
            if anew:
                TantivyIndex.replace(self, base_id, level, entries)
            else:
                self.exchange(base_id, level, document_ids, entries)

    def _is_there(self, base_id: str) -> bool:
        return all(self._meta(base_id, level).exists() for level in LEVELS)

    def _positions(self) -> dict[str, Position]:
        """A file that a power loss damages means that everything is indexed again."""
        try:
            found = json.loads((self._place / "position.json").read_text(encoding="utf-8"))
            return {str(base_id): Position(int(version), str(id)) for base_id, (version, id) in found.items()}
        except (OSError, ValueError, TypeError, AttributeError):
            return {}

    def _keep(self, positions: Mapping[str, Position]) -> None:
        rows = {base_id: [place.version, place.document_id] for base_id, place in positions.items()}
        write_replaceable(self._place / "position.json", json.dumps(rows).encode())

    def _alone(self, seconds: float) -> AbstractContextManager[None]:
        return exclusive(self._place / "follow.lock", seconds)
