"""Reads units with a model, each once: stored answers are not requested again, failures are retried once."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from core.documents.extraction.langextract.form import ExtractionForm, ListedNames
from core.documents.extraction.packing import PackedTexts, halves
from core.documents.ports.extraction import ExtractionRequest, StoredAnswer
from core.models.meter import Cancel, CountingMeter, Meter
from core.platform.errors import ServiceError
from core.platform.ids import content_id
from core.runs.model import Usage

TASK = "extract_entities"
MOST_ANSWERED = 2
"""Most tokens of an answer per token of its source."""
HOPELESS = {"llm.key_missing", "llm.key_refused", "llm.no_credit", "llm.not_found"}
"""Failures that would also affect the next call."""
MOST_IN_A_ROW = 4
"""Consecutive failures after which the model is skipped for the rest of the document."""


class JsonModel(Protocol):
    """The part of core.models.chat.llm.ChatLlm that extraction needs."""

    @property
    def engine(self) -> str: ...

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        """Raises ServiceError or CancelledError."""


def ask(model: JsonModel, prompt: str, source_tokens: int, meter: Meter) -> str:
    """Raises ServiceError or CancelledError."""
    return model.answer_json(TASK, prompt, MOST_ANSWERED * source_tokens, meter)


@dataclass(frozen=True, slots=True)
class UnitReading:
    unit: PackedTexts
    answer: ListedNames | None
    """None if the model gave no usable answer."""


class _Hopeful(CountingMeter):
    """Makes no call if the model was given up, possibly while this call waited for its turn."""

    def __init__(self, cancel: Cancel, hopeless: Callable[[], bool]) -> None:
        super().__init__(cancel)
        self._is_hopeless = hopeless

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        super().before_call(task, seconds)
        if self._is_hopeless():
            raise ServiceError("llm.unavailable")


class UnitReader:
    """Thread-safe."""

    def __init__(self, model: JsonModel, form: ExtractionForm, order: ExtractionRequest, unit_tokens: int) -> None:
        self._model = model
        self.form = form
        self.unit_tokens = unit_tokens
        self._order = order
        self._lock = threading.Lock()
        self._failed_in_a_row = 0
        self._hopeless = False
        self.usage = Usage()
        """Total over all answers, including stored ones, and failed calls of this attempt."""

    def read(self, unit: PackedTexts) -> list[UnitReading]:
        """One answer for the unit, or one for each half if the answer was unusable."""
        answer, problem = self._tried(unit)
        if answer is not None or self._hopeless:
            return [UnitReading(unit, answer)]
        again = halves(self._order.texts, unit) if problem == "llm.invalid_output" else [unit]
        return [UnitReading(part, self._tried(part)[0]) for part in again]

    def _tried(self, unit: PackedTexts) -> tuple[ListedNames | None, str]:
        """The answer, or the key of the failure. Raises CancelledError."""
        try:
            answer = self._answer(unit)
        except ServiceError as error:
            with self._lock:
                self._failed_in_a_row += 1
                self._hopeless |= error.key in HOPELESS or self._failed_in_a_row >= MOST_IN_A_ROW
            return None, error.key
        with self._lock:
            self._failed_in_a_row = 0
        return answer, ""

    def _answer(self, unit: PackedTexts) -> ListedNames:
        prompt = self.form.prompt(unit.text)
        key = stored_under(self._model.engine, prompt)
        if stored := self._stored(key):
            return stored
        meter = _Hopeful(self._order.cancel, lambda: self._hopeless)
        try:
            said = ask(self._model, prompt, self.unit_tokens, meter)
        finally:
            self.count(meter.usage)
        answer = self.form.read(said)
        self._order.answers.put(key, packed(said, meter.usage))
        return answer

    def _stored(self, key: str) -> ListedNames | None:
        kept = self._order.answers.get(key)
        if not kept:
            return None
        found = json.loads(kept)
        self.count(Usage(*found["usage"]))
        return self.form.read(found["answer"])

    def stored(self, unit: PackedTexts) -> UnitReading | None:
        """The stored answer, if there is one."""
        answer = self._stored(stored_under(self._model.engine, self.form.prompt(unit.text)))
        return UnitReading(unit, answer) if answer else None

    def answered(self, unit: PackedTexts, answer: ListedNames, usage: Usage) -> StoredAnswer:
        """The entry of the store for a unit whose answer came in a shared call."""
        key = stored_under(self._model.engine, self.form.prompt(unit.text))
        return StoredAnswer(self._order.answers, key, packed(self.form.written(answer), usage))

    def count(self, usage: Usage) -> None:
        with self._lock:
            self.usage += usage


def stored_under(engine: str, prompt: str) -> str:
    """The key of an answer in a document's store."""
    return content_id(TASK, engine, prompt)


def packed(answer: str, usage: Usage) -> str:
    """The stored form of an answer."""
    counts = [usage.model_calls, usage.prompt_tokens, usage.completion_tokens, usage.estimated]
    return json.dumps({"answer": answer, "usage": counts}, ensure_ascii=False)
