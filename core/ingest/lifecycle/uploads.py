"""Files on their way in: asked about when they change another one or cost money, else taken at once."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from hashlib import file_digest, sha256
from pathlib import Path

from core.domain.documents import Document, Effort
from core.errors import AppError
from core.ingest.estimating.forecast import Forecaster
from core.ingest.lifecycle.file_store import display_name
from core.ingest.lifecycle.intake import Intake
from core.ingest.lifecycle.pending_uploads import Held, PendingUploads, Question
from core.ports.ingestion import IngestRecords


@dataclass(frozen=True, slots=True)
class Taken:
    """A file that is in its knowledge base now."""

    document: Document
    is_new: bool
    """False where the same bytes were there before."""


class Uploads:
    """The policy of pages and command line alike; an upload that waits for an answer is kept across restarts."""

    def __init__(
        self,
        intake: Intake,
        pending: PendingUploads,
        records: IngestRecords,
        forecaster: Callable[[], Forecaster],
    ) -> None:
        """forecaster: by the settings of the moment."""
        self._intake = intake
        self._records = records
        self._forecaster = forecaster
        self.pending = pending

    def by_model(self) -> bool:
        """Whether extraction asks a model, which may cost money."""
        return self._forecaster().by_model

    def earlier(self, base_id: str, name: str, data: bytes | Path) -> Document | None:
        """The document of this name that the file would be a changed version of."""
        return self._intake.earlier(base_id, name, _digest(data))

    def is_known(self, base_id: str, data: bytes | Path) -> bool:
        """Whether a ready document of the base has these bytes: taking them costs nothing."""
        return self._intake.is_known(base_id, _digest(data))

    def cost(self, path: Path, name: str, parser: str = "") -> Effort | None:
        """What a model would be asked for it; None where none is, or where the file cannot be measured."""
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
        """Into the knowledge base, without a question. Raises AppError for a file that is refused.

        replaces: id of the document that goes when this one is ready; agreed: the cost that a person said yes to.
        """
        document, is_new = self._intake.add(base_id, name, data, replaces, parser)
        if agreed and is_new:
            self._records.record_estimate(document.id, replace(agreed, agreed=True))
        return Taken(document, is_new)

    def arrive(self, base_id: str, name: str, data: bytes, parser: str = "") -> Taken | None:
        """None when it waits for an answer. parser: that of the settings when empty. Raises AppError."""
        if self.earlier(base_id, name, data):
            self.pending.hold(base_id, name, data, Question.CHANGED, parser)
            return None
        if self.by_model() and not self.is_known(base_id, data):
            return self.begin(self.pending.hold(base_id, name, data, Question.START, parser))
        return self.take(base_id, name, data, parser=parser)

    def answer_changed(self, held: Held, replacing: bool) -> Taken | None:
        """It replaces the document that it changes, or both stay. None when its cost is asked about next."""
        old = self._intake.earlier(held.base_id, held.name, held.sha256) if replacing else None
        return self.begin(replace(held, replaces=old.id) if old else held)

    def begin(self, held: Held) -> Taken | None:
        """One that a model reads along waits with its estimate; everything else starts. Raises AppError."""
        effort = self.cost(self.pending.path(held), held.name, held.parser)
        if effort is None:
            return self.start(held)
        self.pending.ask(replace(held, question=Question.START, effort=effort))
        return None

    def start(self, held: Held) -> Taken | None:
        """A person said yes. None when it was answered already, in another window. Raises AppError."""
        path = self.pending.path(held)
        if not path.is_file():
            return None
        taken = self.take(held.base_id, held.name, path, held.replaces, held.parser, held.effort)
        self.pending.drop(held)
        return taken

    def expire(self) -> None:
        """Lets go what nobody answered for too long."""
        self.pending.expire()


def _digest(data: bytes | Path) -> str:
    if isinstance(data, bytes):
        return sha256(data).hexdigest()
    with data.open("rb") as file:
        return file_digest(file, "sha256").hexdigest()
