"""Requests to one endpoint in the strictest supported way. What it rejected once is not tried again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from core.adapters.chat.deadline import Deadline
from core.adapters.chat.dialect import Dialect, Mode, structured
from core.adapters.chat.endpoint import ChatEndpoint
from core.adapters.chat.endpoint_config import EndpointConfig
from core.adapters.chat.outputs import InvalidOutputError, parse_output
from core.adapters.chat.wire import Piece, Reply
from core.errors import ServiceError
from core.llm.failures import RefusedError
from core.llm.prompts import Message

PATIENT_SECONDS = 60.0
"""The longest Retry-After honoured while reading documents; nobody is waiting for these calls."""
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

    def answer(self, name: str, output: type[BaseModel], messages: list[Message], deadline: Deadline) -> Reply:
        """A structured answer, not yet validated. Raises ServiceError or CancelledError."""
        dialect = self.dialect
        while True:
            request = self._request(dialect, **structured(dialect.mode, name, output, messages))
            try:
                reply = self.endpoint.complete(request, deadline)
            except RefusedError as refusal:
                dialect = _weaker(dialect, refusal, streaming=False)
            else:
                self.dialect = dialect
                return reply

    def json_answer(self, messages: list[Message], deadline: Deadline) -> Reply:
        """A JSON answer whose form the messages describe, not yet validated. Raises like answer()."""
        while True:
            form = {"response_format": {"type": "json_object"}} if self._json_objects else {}
            try:
                request = self._request(self.dialect, messages=messages, **form)
                return self.endpoint.complete(request, deadline, PATIENT_SECONDS)
            except RefusedError as refusal:
                said = refusal.said.lower()
                if self.dialect.temperature and "temperature" in said:
                    self.dialect = replace(self.dialect, temperature=False)
                elif self._json_objects and ("response_format" in said or "json" in said):
                    self._json_objects = False
                else:
                    raise

    def pieces(self, messages: list[Message], deadline: Deadline) -> Iterator[Piece]:
        """A streamed text. An endpoint rejects a request before the first piece or not at all."""
        dialect = self.dialect
        while True:
            usage = {"stream_options": {"include_usage": True}} if dialect.stream_usage else {}
            try:
                yield from self.endpoint.stream(self._request(dialect, messages=messages, **usage), deadline)
            except RefusedError as refusal:
                dialect = _weaker(dialect, refusal, streaming=True)
            else:
                self.dialect = dialect
                return

    def forget_tools(self) -> None:
        """The endpoint has no model that supports tool calls."""
        self.dialect = replace(self.dialect, tools=False)

    def weaken(self, refusal: RefusedError) -> None:
        """Weakens the next streamed request; raises the rejection if nothing weaker is left."""
        self.dialect = _weaker(self.dialect, refusal, streaming=True)

    def probe(self, deadline: Deadline) -> None:
        """A call of one token (a few if the model does not accept max_tokens). Raises ServiceError.

        If a mode is configured, a second call requests output in that mode.
        """
        try:
            self.endpoint.complete({"messages": PROBE, "max_tokens": 1}, deadline)
        except RefusedError:
            self.endpoint.complete({"messages": PROBE}, deadline)
        if self.dialect.configured:
            self._probe_mode(deadline)

    def _probe_mode(self, deadline: Deadline) -> None:
        reply = self.answer("probe", Probe, PROBE, deadline)
        try:
            parse_output(Probe, reply.content)
        except InvalidOutputError as error:
            raise ServiceError("llm.output_unfit") from error

    def _request(self, dialect: Dialect, **parts: Any) -> dict[str, Any]:
        return {"temperature": self._temperature, **parts} if dialect.temperature else parts


def _weaker(dialect: Dialect, refusal: RefusedError, streaming: bool) -> Dialect:
    """What to try after a rejection; raises it if the request itself was at fault."""
    weaker = dialect.after_refusal(refusal.said, streaming)
    if weaker is not None:
        return weaker
    if not streaming and dialect.blamed(refusal.said):
        raise ServiceError("llm.output_unfit") from refusal
    raise refusal
