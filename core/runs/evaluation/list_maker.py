"""Makes lists of questions from documents in the background, because a model may take minutes."""

import logging
import threading
from dataclasses import dataclass, field

from core.models.meter import CountingMeter
from core.platform.errors import AppError, CancelledError, InputError
from core.platform.identity import acting_id, on_behalf
from core.runs.evaluation.model import Case
from core.runs.evaluation.ports import Evaluations
from core.runs.evaluation.written_questions import Source, cases_written
from core.runs.model import Usage

_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Making:
    """State of a list in the making; pages read it while its thread works on it."""

    name: str
    engine: str
    passages: int = 0
    read: int = 0
    questions: int = 0
    usage: Usage = field(default_factory=Usage)
    degradations: int = 0
    """How often the rule wrote instead of the model."""
    list_id: str = ""
    """Empty until the list is stored; it is never stored if no passage gave a question."""
    fault: AppError | None = None
    ended: bool = False
    _stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Keeps the questions written so far."""
        self._stopped.set()

    def requested(self) -> bool:
        return self._stopped.is_set()


class ListMaker:
    """close() when done."""

    def __init__(self, store: Evaluations) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], Making] = {}
        """The newest by person and knowledge base."""

    def start(self, base_id: str, name: str, source: Source) -> Making:
        """Raises InputError if a list of the person for this knowledge base is in the making."""
        with self._lock:
            before = self._made.get((acting_id(), base_id))
            if before and not before.ended:
                raise InputError("evaluation.making_under_way")
            making = self._made[acting_id(), base_id] = Making(name, source.llm.engine)
        make, given = on_behalf(self._make), (base_id, making, source)
        threading.Thread(target=make, args=given, name="question list", daemon=True).start()
        return making

    def of_base(self, base_id: str) -> Making | None:
        with self._lock:
            return self._made.get((acting_id(), base_id))

    def forget(self, base_id: str) -> None:
        with self._lock:
            self._made.pop((acting_id(), base_id), None)

    def close(self) -> None:
        with self._lock:
            for making in self._made.values():
                making.stop()

    def _make(self, base_id: str, making: Making, source: Source) -> None:
        meter, cases = CountingMeter(making), list[Case]()
        try:
            for read in cases_written(base_id, source, meter):
                cases += read.cases
                making.passages, making.read = read.passages, making.read + 1
                making.questions = len(cases)
                making.usage, making.degradations = meter.usage, meter.degradations
                if making.requested():
                    break
        except CancelledError:
            _LOG.info("the making of a list was stopped")
        except AppError as error:
            making.fault = error
        try:
            if cases:
                making.list_id = self._store.keep_list(making.name, cases).id
        except AppError as error:
            making.fault = error
        finally:
            making.ended = True
