"""A model for the reading of documents: so many calls at a time, of all documents together."""

from collections.abc import Iterator
from threading import BoundedSemaphore
from typing import Protocol

from core.agents import Agent
from core.ports import Llm, Meter
from core.tasks import Output, Request, Task, TextTask


class DocumentLlm(Llm, Protocol):
    """One that also writes long answers; core.adapters.chat_llm.ChatLlm."""

    def answer_json(self, task: str, prompt: str, meter: Meter) -> str:
        """Raises ServiceError or CancelledError."""


class SlottedLlm:
    """DocumentLlm. A call waits for its slot before its own time begins; what comes before and after it takes none."""

    def __init__(self, llm: DocumentLlm, number: int) -> None:
        self._llm = llm
        self._free = BoundedSemaphore(number)
        self.number = number

    @property
    def engine(self) -> str:
        return self._llm.engine

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        with self._free:
            return self._llm.run(task, request, meter)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        with self._free:
            yield from self._llm.stream(task, request, meter)

    def agent(self) -> Agent | None:
        return self._llm.agent()

    def answer_json(self, task: str, prompt: str, meter: Meter) -> str:
        with self._free:
            return self._llm.answer_json(task, prompt, meter)
