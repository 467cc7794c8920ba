"""One document through one stage: what is finished is not repeated, what fails is recorded with the document."""

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from threading import Lock

from core.domain.documents import Document, DocumentStatus, Stage
from core.errors import AppError, CancelledError, NotFoundError, RetryableServiceError, ServiceError
from core.ingest.artefacts import WorkFolder
from core.ingest.progress import DocumentCancel, Paused, StageReport
from core.ingest.slots import Slots
from core.ingest.stages import STAGES, Job, Tools

_LOG = logging.getLogger(__name__)


ATTEMPTS = 3
"""How often the process may die in one stage of a document before the document is set aside."""
AT_WORK = 2
"""Documents that this machine works on at a time: parsing one keeps a core busy."""


class Pipeline:
    """StageRunner over the stages and their artefacts."""

    def __init__(self, tools: Tools, work: Path) -> None:
        """work: folder of the artefacts, one folder a document."""
        self._tools = tools
        self._work = work
        self._under_way: set[tuple[str, Stage]] = set()
        self._slots = Slots(AT_WORK)
        self._alone = Lock()
        """Held by a stage in which the process died before, so that a poisonous document takes no other along."""

    def run(self, document_id: str, stage: Stage) -> bool:
        try:
            document = self._tools.library.document(document_id)
            return self._run(document, stage)
        except NotFoundError:
            WorkFolder(self._work, document_id).remove()
            return False
        except (CancelledError, Paused):
            return False

    def give_up(self, document_id: str, stage: Stage) -> None:
        try:
            name = self._tools.library.document(document_id).name
            self._fail(document_id, stage, AppError("ingest.error.service_gone", name=name))
        except NotFoundError:
            WorkFolder(self._work, document_id).remove()

    def leave(self) -> None:
        """The process is about to end in good order: what is under way did not fail."""
        for document_id, stage in sorted(self._under_way.copy()):
            WorkFolder(self._work, document_id).end(stage)

    def _run(self, document: Document, stage: Stage) -> bool:
        """Raises RetryableServiceError, CancelledError and NotFoundError; other failures end here."""
        work = WorkFolder(self._work, document.id)
        if stage is Stage.INDEX and document.status is DocumentStatus.READY and not work.has(Stage.PARSE):
            return True  # published; only the note that it was done got lost
        if stage is Stage.PARSE:
            work.claim(document.parser_choice)
        if work.has(stage):
            self._tools.library.record_stage(document.id, work.progress(stage))
            return True
        current = stage
        try:
            for current in _missing(work, stage):
                self._do(document, work, current)
        except (RetryableServiceError, CancelledError, NotFoundError, Paused):
            raise
        except AppError as error:
            _LOG.info("%s: %s", document.id, error)
            self._fail(document.id, current, error)
            return False
        except Exception as error:  # noqa: BLE001  # the per-document loop: one document's defect is its own
            _LOG.exception("%s failed at %s", document.id, current)
            self._fail(document.id, current, AppError("error.unexpected", kind=type(error).__name__))
            return False
        if stage is Stage.INDEX:
            work.remove()
        return True

    def _do(self, document: Document, work: WorkFolder, stage: Stage) -> None:
        with self._room(document, work, stage):
            if work.begun(stage) >= ATTEMPTS:
                work.end(stage)
                raise ServiceError("ingest.error.poison", name=document.name, attempts=ATTEMPTS)
            self._under_way.add((document.id, stage))
            work.begin(stage)
            try:
                self._execute(document, work, stage)
            finally:
                self._under_way.discard((document.id, stage))
                work.end(stage)

    @contextmanager
    def _room(self, document: Document, work: WorkFolder, stage: Stage) -> Iterator[None]:
        """A slot, and the machine alone after a death in this stage; none while a service elsewhere does the work."""
        if self._tools.waits_elsewhere(document, stage):
            yield
            return
        rank = (-list(STAGES).index(stage), document.added_at, document.id)
        with ExitStack() as held:
            if work.begun(stage):
                held.enter_context(self._alone)
            held.enter_context(self._slots.slot(rank, DocumentCancel(self._tools.library, document.id)))
            yield

    def _execute(self, document: Document, work: WorkFolder, stage: Stage) -> None:
        cancel = DocumentCancel(self._tools.library, document.id)
        if cancel.requested():
            raise CancelledError("error.cancelled")
        report = StageReport(self._tools.library, document.id, stage, cancel)
        progress = report.finish(STAGES[stage](self._tools, Job(document, work, report)))
        work.save_progress(progress)

    def _fail(self, document_id: str, stage: Stage, error: AppError) -> None:
        library = self._tools.library
        StageReport(library, document_id, stage, DocumentCancel(library, document_id)).fail(error.key)
        library.fail(document_id, error.key, error.params)


def _missing(work: WorkFolder, stage: Stage) -> list[Stage]:
    """The stages up to this one whose result is not there; the last one leaves none."""
    return [known for known in STAGES if list(STAGES).index(known) <= list(STAGES).index(stage) and not work.has(known)]
