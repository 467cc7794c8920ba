"""Upload policy: the user is asked about changed files and costs; everything else is accepted at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from hashlib import file_digest, sha256
from pathlib import Path

from core.documents.estimating.forecast import Forecaster
from core.documents.lifecycle.file_store import display_name
from core.documents.lifecycle.intake import Intake
from core.documents.lifecycle.pending_uploads import Held, PendingUploads, UploadQuestion
from core.documents.model import Document, DocumentStatus, Effort
from core.documents.ports.ingestion import IngestRecords
from core.platform.errors import AppError


@dataclass(frozen=True, slots=True)
class Taken:
    """An accepted file."""

    document: Document
    is_new: bool
    """False if the base already had these bytes."""
    known_as: str
    """Name that a document with these bytes had before; empty if there was none."""


class Uploads:
    """Shared by the pages and the command line; uploads that await an answer survive restarts."""

    def __init__(
        self,
        intake: Intake,
        pending: PendingUploads,
        records: IngestRecords,
        forecaster: Callable[[], Forecaster],
    ) -> None:
        """forecaster: returns one for the current settings."""
        self._intake = intake
        self._records = records
        self._forecaster = forecaster
        self.pending = pending

    def by_model(self) -> bool:
        """Whether extraction asks a model, which may cost money."""
        return self._forecaster().by_model

    def earlier(self, base_id: str, name: str, data: bytes | Path) -> Document | None:
        """The document of the same name with other content, if any."""
        return self._intake.earlier(base_id, name, _digest(data))

    def is_known(self, base_id: str, data: bytes | Path) -> bool:
        """Whether a ready document of the base has these bytes, so that accepting them costs nothing."""
        same = self._intake.known(base_id, _digest(data))
        return same is not None and same.status is DocumentStatus.READY

    def cost(self, path: Path, name: str, parser: str = "") -> Effort | None:
        """Estimated model usage; None if no model is used or the file cannot be measured."""
        forecaster = self._forecaster()
        if not forecaster.by_model:
            return None
        try:
            effort = forecaster.of_file(path, display_name(name), parser)
        except AppError:  # the pipeline says what is wrong with it
            return None
        return effort if effort.model_calls else None

    def take(
        self,
        base_id: str,
        name: str,
        data: bytes | Path,
        replaces: str = "",
        parser: str = "",
        agreed: Effort | None = None,
    ) -> Taken:
        """Adds the file without asking. Raises AppError for a file that is refused.

        replaces: id of the document to delete once this one is ready; agreed: the estimate the user approved.
        """
        same = self._intake.known(base_id, _digest(data))  # a failed one takes the new name
        document, is_new = self._intake.add(base_id, name, data, replaces, parser)
        if agreed and is_new:
            self._records.record_estimate(document.id, replace(agreed, agreed=True))
        return Taken(document, is_new, same.name if same else "")

    def arrive(self, base_id: str, name: str, data: bytes, parser: str = "") -> Taken | None:
        """Adds the file, or returns None if the user has to be asked. parser: "" for the default. Raises AppError."""
        self._intake.require(base_id)
        if self.earlier(base_id, name, data):
            self.pending.hold(base_id, name, data, UploadQuestion.CHANGED, parser)
            return None
        return self.begin_new(base_id, name, data, parser=parser)

    def begin_new(self, base_id: str, name: str, data: bytes, replaces: str = "", parser: str = "") -> Taken | None:
        """As arrive(), for a file of which is known whether it replaces another one."""
        if self.by_model() and not self.is_known(base_id, data):
            held = self.pending.hold(base_id, name, data, UploadQuestion.START, parser)
            return self.begin(replace(held, replaces=replaces))
        return self.take(base_id, name, data, replaces, parser)

    def answer_changed(self, held: Held, replacing: bool) -> Taken | None:
        """Replaces the changed document or keeps both. None if the cost has to be approved next."""
        old = self._intake.earlier(held.base_id, held.name, held.sha256) if replacing else None
        return self.begin(replace(held, replaces=old.id) if old else held)

    def begin(self, held: Held) -> Taken | None:
        """Holds the upload with its estimate if a model takes part, else starts it.

        None also if it was answered already in another window. Raises AppError.
        """
        path = self.pending.path(held)
        if not path.is_file():
            return None
        effort = self.cost(path, held.name, held.parser)
        if effort is None:
            return self.start(held)
        self.pending.ask(replace(held, question=UploadQuestion.START, effort=effort))
        return None

    def start(self, held: Held) -> Taken | None:
        """Starts an approved upload. None if it was answered already in another window. Raises AppError."""
        path = self.pending.path(held)
        if not path.is_file():
            return None
        taken = self.take(held.base_id, held.name, path, held.replaces, held.parser, held.effort)
        self.pending.drop(held)
        return taken

    def leave(self, held: Held) -> None:
        """Discards an upload that awaits a decision. Raises AppError."""
        self._intake.require(held.base_id)
        self.pending.drop(held)

    def expire(self, at: datetime) -> None:
        """Removes uploads whose decision had been open for too long then."""
        self.pending.expire(at)


def _digest(data: bytes | Path) -> str:
    if isinstance(data, bytes):
        return sha256(data).hexdigest()
    with data.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
