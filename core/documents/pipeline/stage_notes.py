"""Notes of which documents are in a stage, so that they are suspected if the ingestion process alone dies.

A note found after any other end, such as a power cut or the end of the app, is no evidence against its documents.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from core.documents.model import Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.platform.files.atomic_file import write_replaceable

_SUFFIX = ".stage"


class StageNotes:
    """Files next to the folders of documents: one per stage under way, for one document or several together."""

    def __init__(self, work: Path) -> None:
        self._work = work

    @contextmanager
    def under_way(self, stage: Stage, document_ids: Sequence[str]) -> Iterator[None]:
        path = self._work / f"{os.getpid()}-{uuid4().hex}{_SUFFIX}"
        write_replaceable(path, "\n".join([stage, *document_ids]).encode())
        try:
            yield
        finally:
            path.unlink(missing_ok=True)

    def count_death(self, process_id: int) -> None:
        """Counts the death of this process alone against each document that was in a stage."""
        self._settle(f"{process_id}-*", is_death=True)

    def settle(self) -> None:
        """Turns all notes into interruptions, which count against no document. Called before any work."""
        self._settle("*", is_death=False)

    def _settle(self, pattern: str, *, is_death: bool) -> None:
        for path in self._work.glob(f"{pattern}{_SUFFIX}"):
            stage, *document_ids = path.read_text(encoding="utf-8").split() or [""]
            with suppress(ValueError):  # not ours, or emptied by a power loss
                for document_id in document_ids:
                    WorkFolder(self._work, document_id).note_interruption(Stage(stage), is_death=is_death)
            path.unlink()
