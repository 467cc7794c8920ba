"""A model for ingestion with a bounded number of concurrent calls across all documents."""

from collections.abc import Iterator
from threading import BoundedSemaphore
from typing import Protocol

from core.models.agent_ports import Agent
from core.models.meter import Meter
from core.models.ports import Llm, Pause
from core.models.tasks import Output, Request, Task, TextTask


class DocumentLlm(Llm, Protocol):
    """A model that also writes long answers; core.models.chat.llm.ChatLlm."""

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        """Raises ServiceError or CancelledError."""


class SlottedLlm:
    """DocumentLlm. A call waits for its slot before its own time starts; preparation and parsing need no slot."""

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

    def pause(self) -> Pause | None:
        return self._llm.pause()

    def resume(self) -> None:
        self._llm.resume()

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        with self._free:
            return self._llm.answer_json(task, prompt, max_tokens, meter)
