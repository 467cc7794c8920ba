"""Requests to one endpoint in the strictest supported way. What it rejected once is not tried again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from core.models.chat.deadline import Deadline
from core.models.chat.dialect import Dialect, Mode, lower_limit, structured
from core.models.chat.endpoint import ChatEndpoint
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.outputs import InvalidOutputError, parse_output
from core.models.chat.wire import Reply, StreamPiece
from core.models.failures import RefusedError
from core.models.prompt_files import Message
from core.models.thinking import is_only_thinking
from core.platform.errors import ServiceError

PATIENT_SECONDS = 60.0
"""The longest Retry-After honoured while reading documents; nobody is waiting for these calls."""
THINKING_TOKENS = 16_000
"""Added to the limit of every request once the model was seen to think."""
PROBE_TOKENS = 100
PROBE: list[Message] = [{"role": "user", "content": "Answer with the word ok."}]


class Probe(BaseModel):
    """Whether the output arrived in the requested form."""

    ok: bool


class ChatDialogue:
    def __init__(self, config: EndpointConfig) -> None:
        self.endpoint = ChatEndpoint(config)
        self.dialect = Dialect(config.output or Mode.JSON_SCHEMA, configured=config.output is not None)
        self._json_objects = config.output is not Mode.FUNCTION
        self._temperature = config.temperature
        self.thinking_tokens = 0
        """Tokens allowed for thinking on top of the limit of an answer."""

    def answer(
        self, name: str, output: type[BaseModel], messages: list[Message], max_tokens: int, deadline: Deadline
    ) -> Reply:
        """A structured answer, not yet validated. Raises ServiceError or CancelledError."""
        dialect, limit = self.dialect, max_tokens + self.thinking_tokens
        while True:
            request = self._request(dialect, limit, **structured(dialect.mode, name, output, messages))
            try:
                reply = self.endpoint.complete(request, deadline)
            except RefusedError as refusal:
                if lower := lower_limit(refusal.said, limit):
                    limit = lower
                else:
                    dialect = _weaker(dialect, refusal, streaming=False)
            else:
                self.dialect = dialect
                self.allow_thinking(reply.finish_reason, reply.content)
                return reply

    def json_answer(self, messages: list[Message], max_tokens: int, deadline: Deadline) -> Reply:
        """A JSON answer whose form the messages describe, not yet validated. Raises like answer()."""
        limit = max_tokens + self.thinking_tokens
        while True:
            form = {"response_format": {"type": "json_object"}} if self._json_objects else {}
            try:
                request = self._request(self.dialect, limit, messages=messages, **form)
                reply = self.endpoint.complete(request, deadline, PATIENT_SECONDS)
            except RefusedError as refusal:
                if lower := lower_limit(refusal.said, limit):
                    limit = lower
                else:
                    self._weaken_json(refusal)
            else:
                self.allow_thinking(reply.finish_reason, reply.content)
                return reply

    def _weaken_json(self, refusal: RefusedError) -> None:
        said = refusal.said.lower()
        if weaker := self.dialect.without_parameter(said):
            self.dialect = weaker
        elif self._json_objects and ("response_format" in said or "json" in said):
            self._json_objects = False
        else:
            raise refusal

    def pieces(
        self, messages: list[Message], max_tokens: int, deadline: Deadline, *, with_probabilities: bool = False
    ) -> Iterator[StreamPiece]:
        """A streamed text. An endpoint rejects a request before the first piece or not at all."""
        dialect, limit = self.dialect, max_tokens + self.thinking_tokens
        while True:
            further: dict[str, Any] = {"stream_options": {"include_usage": True}} if dialect.stream_usage else {}
            if with_probabilities and dialect.log_probabilities:
                further |= {"logprobs": True, "top_logprobs": 1}
            try:
                yield from self.endpoint.stream(self._request(dialect, limit, messages=messages, **further), deadline)
            except RefusedError as refusal:
                if lower := lower_limit(refusal.said, limit):
                    limit = lower
                else:
                    dialect = _weaker(dialect, refusal, streaming=True)
            else:
                self.dialect = dialect
                return

    def allow_thinking(self, finish_reason: str, reply: str) -> bool:
        """Raises the limits after a reply that used its own up before its answer began; True if that is new."""
        is_new = not self.thinking_tokens and finish_reason == "length" and is_only_thinking(reply)
        if is_new:
            self.thinking_tokens = THINKING_TOKENS
        return is_new

    def forget_tools(self) -> None:
        """The endpoint has no model that supports tool calls."""
        self.dialect = replace(self.dialect, tools=False)

    def weaken(self, refusal: RefusedError) -> None:
        """Weakens the next streamed request; raises the rejection if nothing weaker is left."""
        self.dialect = _weaker(self.dialect, refusal, streaming=True)

    def probe(self, deadline: Deadline) -> None:
        """A call of one token (a few if the model accepts no such limit). Raises ServiceError.

        If a mode is configured, a second call requests output in that mode.
        """
        dialect = self.dialect
        while not self._answers(dialect, deadline):
            dialect = dialect.with_next_limit()
        if self.dialect.configured:
            self._probe_mode(deadline)

    def _answers(self, dialect: Dialect, deadline: Deadline) -> bool:
        """False if the endpoint rejects the limit. Raises ServiceError."""
        try:
            self.endpoint.complete({"messages": PROBE, **dialect.limited(1)}, deadline)
        except RefusedError:
            if dialect.limit is None:
                raise
            return False
        return True

    def _probe_mode(self, deadline: Deadline) -> None:
        reply = self.answer("probe", Probe, PROBE, PROBE_TOKENS, deadline)
        try:
            parse_output(Probe, reply.content)
        except InvalidOutputError as error:
            raise ServiceError("llm.output_unfit") from error

    def _request(self, dialect: Dialect, limit: int, **parts: Any) -> dict[str, Any]:
        request = {**dialect.limited(limit), **parts}
        return {"temperature": self._temperature, **request} if dialect.temperature else request


def _weaker(dialect: Dialect, refusal: RefusedError, streaming: bool) -> Dialect:
    """The dialect to try after a rejection; raises it if the request itself was at fault."""
    weaker = dialect.after_refusal(refusal.said, streaming)
    if weaker is not None:
        return weaker
    if not streaming and dialect.blamed(refusal.said):
        raise ServiceError("llm.output_unfit") from refusal
    raise refusal
