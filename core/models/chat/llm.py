"""Runs tasks on a model behind an OpenAI-compatible endpoint, and falls back to their rules if the model fails."""

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import fmean
from typing import TYPE_CHECKING

from core.models.agent_ports import Agent
from core.models.chat.deadline import CircuitBreaker, Deadline, deadline_of
from core.models.chat.dialect import correction
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.outputs import InvalidOutputError, parse_output, strict_schema
from core.models.chat.wire import StreamPiece
from core.models.failures import SPENT
from core.models.meter import Meter, stop_if_cancelled
from core.models.ports import Pause
from core.models.prompt_files import Message, fill, with_passages_of
from core.models.redact import KeyFilter, redact
from core.models.reply_text import ReplyText
from core.models.tasks import Output, Request, Task, TextTask
from core.models.tokens import SMALL_MODEL_READS, SMALL_PARAMETERS, believed
from core.platform.errors import BudgetError, ServiceError
from core.runs.model import Usage

if TYPE_CHECKING:
    from core.models.chat.dialogue import ChatDialogue


@dataclass(slots=True)
class _Call:
    """One model call, from prompt to result."""

    task: str
    messages: list[Message]
    deadline: Deadline
    started: float = field(default_factory=time.monotonic)
    texts: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    usage: Usage | None = None
    finish_reason: str = ""
    log_probabilities: list[float] = field(default_factory=list)

    def add(self, piece: StreamPiece) -> None:
        self.texts.append(piece.text)
        self.hidden.append(piece.hidden)
        self.usage = piece.usage or self.usage
        self.finish_reason = piece.finish_reason or self.finish_reason
        self.log_probabilities += piece.log_probabilities

    def certainty(self) -> float | None:
        return fmean(self.log_probabilities) if self.log_probabilities else None


class ChatLlm:
    def __init__(self, config: EndpointConfig) -> None:
        self.config = config
        self._small = config.small
        self._lock = threading.Lock()
        self._opened: ChatDialogue | None = None
        self._rest = CircuitBreaker(config.rest_seconds)

    @property
    def engine(self) -> str:
        return self.config.model

    @property
    def is_small(self) -> bool:
        """Whether it has at most SMALL_PARAMETERS, by its name, or as a server on this machine says once it can."""
        if self._small is None and self.config.is_local and not self.pause():
            from core.models.chat.local_servers import parameters_of

            count = parameters_of(self.config)
            self._small = None if count is None else 0 < count <= SMALL_PARAMETERS
        return bool(self._small)

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        if not task.for_small and self.is_small:
            return task.rule(request)
        try:
            return self._decide(task, request, meter)
        except (ServiceError, BudgetError) as error:
            self._give_up(task.name, error, meter)
        return task.rule(request)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        begun = False
        try:
            for text in self._write(task, request, meter):
                begun = True
                yield text
            if begun:
                return
            raise ServiceError("llm.empty")
        except (ServiceError, BudgetError) as error:
            if begun:
                raise
            self._give_up(task.name, error, meter)
        for text in task.rule(request):
            yield text
            stop_if_cancelled(meter)

    def agent(self) -> Agent | None:
        if self._opened is not None and not self._opened.dialect.tools:
            return None
        from core.models.chat.agent_loop import AgentLoop

        return AgentLoop(self._dialogue, self._rest)

    def pause(self) -> Pause | None:
        return self._rest.pause()

    def resume(self) -> None:
        self._rest.end()

    def answer_json(self, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        """A long JSON answer to a complete prompt, without a fallback rule.

        The meter receives only the counts, because prompt and answer are whole documents. Raises ServiceError, also for
        truncated answers, CancelledError and BudgetError.
        """
        call = self._begin(task, [{"role": "user", "content": prompt}], self.config.stream_seconds, meter)
        reply = self._dialogue().json_answer(call.messages, max_tokens, call.deadline)
        usage = believed(reply.usage, prompt, reply.content)
        meter.after_call(task, "", "", time.monotonic() - call.started, usage)
        if reply.finish_reason == "length":
            raise ServiceError("llm.invalid_output")
        return KeyFilter(self.config.api_key).whole(reply.content)

    def probe(self) -> float:
        """Seconds a one-token call took, for a Test button. Raises ServiceError with the remedy."""
        dialogue = self._dialogue()
        started = time.monotonic()
        dialogue.probe(Deadline.after(self.config.call_seconds, lambda: False))
        self._rest.end()
        return time.monotonic() - started

    def warm(self) -> None:
        """Prepares what the first question would otherwise wait for: the client and its libraries."""
        self._dialogue()

    def close(self) -> None:
        if self._opened is not None:
            self._opened.endpoint.close()

    def _dialogue(self) -> "ChatDialogue":
        """Created on the first call and kept: its libraries take a second to import, a client 25 ms to create."""
        from core.models.chat.dialogue import ChatDialogue

        with self._lock:
            if self._opened is None:
                self._opened = ChatDialogue(self.config)
            return self._opened

    def _decide(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        """The model's output, corrected once if invalid."""
        call = self._begin(task.name, self._messages(task.name, request), self.config.call_seconds, meter)
        answer = self._answer(task, call, meter)
        try:
            return parse_output(task.output, answer)
        except InvalidOutputError as error:
            shown = correction(answer, str(error), strict_schema(task.output))
        meter.before_call(task.name, call.deadline.seconds())
        answer = self._answer(task, _Call(task.name, [*call.messages, *shown], call.deadline), meter)
        try:
            return parse_output(task.output, answer)
        except InvalidOutputError as error:
            raise ServiceError("llm.invalid_output") from error

    def _answer(self, task: Task[Request, Output], call: _Call, meter: Meter) -> str:
        try:
            reply = self._dialogue().answer(task.name, task.output, call.messages, task.max_tokens, call.deadline)
        except ServiceError as error:
            if error.key in SPENT:
                self._count(call, meter)
            raise
        call.add(StreamPiece(reply.content, reply.finish_reason, reply.usage))
        self._count(call, meter)
        return reply.content

    def _write(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        """The model's text without its thinking. Raises ServiceError at the end if the model did not finish."""
        call = self._begin(task.name, self._messages(task.name, request), self.config.stream_seconds, meter)
        dialogue = self._dialogue()
        reply = ReplyText(task.max_tokens, dialogue.thinking_tokens, self.config.api_key, meter)
        try:
            pieces = dialogue.pieces(call.messages, task.max_tokens, call.deadline, with_probabilities=self.is_small)
            for piece in pieces:
                call.add(piece)
                if text := reply.feed(piece.text, piece.hidden):
                    yield text
                    stop_if_cancelled(meter)
            if text := reply.finish():
                yield text
        except ServiceError as error:
            if not call.texts and error.key in SPENT:
                self._count(call, meter)
            raise
        finally:
            if call.texts:
                self._count(call, meter)
        if dialogue.allow_thinking(call.finish_reason, "".join(call.texts)):
            yield from self._write(task, request, meter)
        elif call.finish_reason in ("", "length", "content_filter"):
            raise ServiceError("llm.cut_short" if call.finish_reason else "llm.interrupted")

    def _messages(self, task: str, request: object) -> list[Message]:
        """The prompt, with as many passages as the model is to read."""
        most = self.config.passage_tokens or (SMALL_MODEL_READS if self.config.is_local and self.is_small else 0)
        return fill(task, with_passages_of(request, most) if most else request)

    def _begin(self, task: str, messages: list[Message], seconds: float, meter: Meter) -> _Call:
        """Raises CancelledError, BudgetError, or ServiceError while the circuit breaker is open."""
        self._rest.check()
        meter.before_call(task, seconds)
        self._dialogue()  # its import is not the endpoint's time
        return _Call(task, messages, deadline_of(seconds, meter))

    def _count(self, call: _Call, meter: Meter) -> None:
        prompt = "\n\n".join(f"{message['role']}:\n{message['content']}" for message in call.messages)
        response, seconds = "".join(call.texts), time.monotonic() - call.started
        usage = believed(call.usage, prompt, response + "".join(call.hidden))
        secrets = [self.config.api_key]
        meter.after_call(
            call.task, redact(prompt, secrets), redact(response, secrets), seconds, usage, call.certainty()
        )

    def _give_up(self, task: str, error: ServiceError | BudgetError, meter: Meter) -> None:
        """Runs before the rule takes over. A question that was already out of time ends here."""
        in_time = meter.remaining_seconds() > 0
        if isinstance(error, BudgetError) and not in_time:
            raise error
        if isinstance(error, ServiceError) and in_time:
            self._rest.after(error)
        meter.degraded(task, error.key, tuple(error.params.items()))
