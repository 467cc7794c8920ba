"""Asking one endpoint in the strictest way that it takes; what it refused once is not asked again."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from pydantic import BaseModel

from core.adapters.chat_endpoint import ChatEndpoint
from core.errors import ServiceError
from core.llm.deadline import Deadline
from core.llm.dialect import Dialect, Mode, structured
from core.llm.endpoint_config import EndpointConfig
from core.llm.failures import RefusedError
from core.llm.outputs import InvalidOutputError, parse_output
from core.llm.prompts import Message
from core.llm.wire import Piece, Reply

PATIENT_SECONDS = 60.0
"""The longest pause for which a document's answers wait when the endpoint asks for one: no person looks on."""
PROBE: list[Message] = [{"role": "user", "content": "Answer with the word ok."}]


class Probe(BaseModel):
    """Whether an output comes as it was asked for."""

    ok: bool


class ChatDialogue:
    def __init__(self, config: EndpointConfig) -> None:
        self.endpoint = ChatEndpoint(config)
        self.dialect = Dialect(config.output or Mode.JSON_SCHEMA, configured=config.output is not None)
        self._json_objects = config.output is not Mode.FUNCTION
        self._temperature = config.temperature

    def answer(self, name: str, output: type[BaseModel], messages: list[Message], deadline: Deadline) -> Reply:
        """A structured answer, not validated. Raises ServiceError or CancelledError."""
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
        """An answer in JSON whose form the messages describe, not validated. Raises as answer() does."""
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
        """A streamed text. An endpoint refuses before the first piece or not at all."""
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
        """The endpoint has no model that calls tools."""
        self.dialect = replace(self.dialect, tools=False)

    def weaken(self, refusal: RefusedError) -> None:
        """The next streamed request is asked in a weaker way; raises the refusal when there is none."""
        self.dialect = _weaker(self.dialect, refusal, streaming=True)

    def probe(self, deadline: Deadline) -> None:
        """A call of one token; for a model that knows no max_tokens, of a few. Raises ServiceError.

        Where a mode is configured, one more asks for an output in it.
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
    """What to try after a refusal; raises it when it was about the request itself."""
    weaker = dialect.after_refusal(refusal.said, streaming)
    if weaker is not None:
        return weaker
    if not streaming and dialect.blamed(refusal.said):
        raise ServiceError("llm.output_unfit") from refusal
    raise refusal
