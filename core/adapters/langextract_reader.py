"""Units read by a model, each once: answers that are stored are not asked for again, failures are tried once more."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass

from core.adapters.langextract_form import Answer, ExtractionForm
from core.adapters.langextract_model import TASK, JsonModel, SharedModel
from core.domain.ids import content_id
from core.domain.runs import Usage
from core.errors import ServiceError
from core.extraction.packing import Unit, halves
from core.llm.counting import CountingMeter
from core.ports import Cancel, ExtractionOrder

HOPELESS = {"llm.key_missing", "llm.key_refused", "llm.no_credit", "llm.not_found"}
"""Failures that the next call would meet as well."""
MOST_IN_A_ROW = 4
"""Failures one after the other, after which the model is left alone for the rest of the document."""


@dataclass(frozen=True, slots=True)
class Read:
    unit: Unit
    answer: Answer | None
    """None when the model gave no usable one."""


class _Hopeful(CountingMeter):
    """Makes no call when the model has been given up, which may be while the call waited for its turn."""

    def __init__(self, cancel: Cancel, hopeless: Callable[[], bool]) -> None:
        super().__init__(cancel)
        self._is_hopeless = hopeless

    def before_call(self, task: str) -> None:
        super().before_call(task)
        if self._is_hopeless():
            raise ServiceError("llm.unavailable")


class UnitReader:
    """Safe to use from several threads."""

    def __init__(self, model: JsonModel, form: ExtractionForm, order: ExtractionOrder) -> None:
        self._model = model
        self._form = form
        self._order = order
        self._lock = threading.Lock()
        self._failed_in_a_row = 0
        self._hopeless = False
        self.usage = Usage()
        """Of all answers, stored ones included, and of failed calls of this attempt."""

    def read(self, unit: Unit) -> list[Read]:
        """One for the unit, or one for each of its halves where its answer could not be used."""
        answer, problem = self._tried(unit)
        if answer is not None or self._hopeless:
            return [Read(unit, answer)]
        again = halves(self._order.texts, unit) if problem == "llm.invalid_output" else [unit]
        return [Read(part, self._tried(part)[0]) for part in again]

    def _tried(self, unit: Unit) -> tuple[Answer | None, str]:
        """The answer, or the key of what went wrong. Raises CancelledError."""
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

    def _answer(self, unit: Unit) -> Answer:
        prompt = self._form.prompt(unit.text)
        key = content_id(TASK, self._model.engine, prompt)
        if stored := self._stored(key):
            return stored
        meter = _Hopeful(self._order.cancel, lambda: self._hopeless)
        model = SharedModel(lambda asked: self._model.answer_json(TASK, asked, meter))
        try:
            ((scored,),) = model.infer([prompt])
        finally:
            self._count(meter.usage)
        said = scored.output or ""
        answer = self._form.read(said)
        self._order.answers.put(key, _packed(said, meter.usage))
        return answer

    def _stored(self, key: str) -> Answer | None:
        kept = self._order.answers.get(key)
        if not kept:
            return None
        found = json.loads(kept)
        self._count(Usage(*found["usage"]))
        return self._form.read(found["answer"])

    def _count(self, usage: Usage) -> None:
        with self._lock:
            self.usage += usage


def _packed(answer: str, usage: Usage) -> str:
    counts = [usage.model_calls, usage.prompt_tokens, usage.completion_tokens, usage.estimated]
    return json.dumps({"answer": answer, "usage": counts}, ensure_ascii=False)
