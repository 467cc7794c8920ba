"""Which short documents are in a stage together: one file for all, because one each takes as long as a stage of theirs.

After the process died, each of them is noted as one in whose stage it did, and goes alone from then on.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from core.atomic_file import write_replaceable
from core.domain.documents import Stage
from core.ingest.pipeline.artefacts import WorkFolder

_SUFFIX = ".together"


class GroupAttempts:
    """Files beside the folders of the documents."""

    def __init__(self, work: Path) -> None:
        self._work = work

    @contextmanager
    def attempt(self, stage: Stage, document_ids: Sequence[str]) -> Iterator[None]:
        path = self._work / f"{uuid4().hex}{_SUFFIX}"
        write_replaceable(path, "\n".join([stage, *document_ids]).encode())
        try:
            yield
        finally:
            path.unlink(missing_ok=True)

    def settle(self) -> None:
        """Before any work: what the last process left behind."""
        for path in self._work.glob(f"*{_SUFFIX}"):
            stage, *document_ids = path.read_text(encoding="utf-8").split() or [""]
            with suppress(ValueError):  # not ours, or emptied by a power loss
                for document_id in document_ids:
                    WorkFolder(self._work, document_id).begin(Stage(stage))
            path.unlink()

    def forget(self) -> None:
        """At an orderly exit: nothing has failed."""
        for path in self._work.glob(f"*{_SUFFIX}"):
            path.unlink(missing_ok=True)
