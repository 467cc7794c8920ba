"""The ways endpoints accept structured requests, strictest first, and what an endpoint has rejected."""

import json
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from pydantic import BaseModel

from core.models.chat.outputs import strict_schema
from core.models.prompt_files import Message


class Mode(StrEnum):
    """How structured output is requested, strictest first."""

    JSON_SCHEMA = "json_schema"
    FUNCTION = "function"
    JSON_OBJECT = "json_object"


class Limit(StrEnum):
    """Name of the limit of tokens in a request, the most common first."""

    MAX_TOKENS = "max_tokens"
    MAX_COMPLETION_TOKENS = "max_completion_tokens"


MODES = tuple(Mode)
LEAST_TOKENS = 250
"""Limit below which an answer is of no use."""
_OF_LENGTH = (
    "context_length",
    "context length",
    "context window",
    "context size",
    "maximum context",
    "too many tokens",
    "context limit",
    "too long",
    "too large",
    "reduce the length",
)
"""Phrases of an endpoint that rejects a request for its length."""
_OF_MODES = ("response_format", "json", "schema", "tool", "function")
"""Words an endpoint uses when it rejects a mode."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Features that an endpoint is assumed to support; rejections weaken it, and it is remembered."""

    mode: Mode = Mode.JSON_SCHEMA
    configured: bool = False
    """The mode was configured by the user, so no other one is tried."""
    temperature: bool = True
    stream_usage: bool = True
    log_probabilities: bool = True
    tools: bool = True
    """Whether models call tools natively."""
    limit: Limit | None = Limit.MAX_TOKENS
    """None for an endpoint that takes neither."""

    def limited(self, max_tokens: int) -> dict[str, int]:
        """The part of the request that limits its answer."""
        return {self.limit.value: max_tokens} if self.limit else {}

    def with_next_limit(self) -> "Dialect":
        return replace(self, limit=Limit.MAX_COMPLETION_TOKENS if self.limit is Limit.MAX_TOKENS else None)

    def without_parameter(self, said: str) -> "Dialect | None":
        """The dialect without the parameter that the endpoint names; None if it names none."""
        said = said.lower()
        if self.temperature and "temperature" in said:
            return replace(self, temperature=False)
        if self.log_probabilities and "logprobs" in said:
            return replace(self, log_probabilities=False)
        return self.with_next_limit() if self.limit and self.limit in said and not is_too_long(said) else None

    def after_refusal(self, said: str, streaming: bool) -> "Dialect | None":
        """The next weaker dialect; None if there is none, so the request itself was rejected."""
        if weaker := self.without_parameter(said):
            return weaker
        if is_too_long(said):
            return None
        if streaming:
            if self.stream_usage:
                return replace(self, stream_usage=False)
            return replace(self, log_probabilities=False) if self.log_probabilities else None
        if self.configured:
            return None
        position = MODES.index(self.mode) + 1
        return replace(self, mode=MODES[position]) if position < len(MODES) else None

    def blamed(self, said: str) -> bool:
        """Whether the endpoint's message is about the configured mode."""
        return self.configured and any(word in said.lower() for word in _OF_MODES)


def is_too_long(said: str) -> bool:
    """Whether the endpoint rejected the length of the request, not its form."""
    said = said.lower()
    return any(words in said for words in _OF_LENGTH)


def lower_limit(said: str, max_tokens: int) -> int:
    """Half the limit where text and answer together are too long for the model; 0 if the text alone is to blame."""
    said = said.lower()
    blamed = is_too_long(said) and ("completion" in said or Limit.MAX_TOKENS in said)
    return max_tokens // 2 if blamed and max_tokens >= 2 * LEAST_TOKENS else 0


def structured(mode: Mode, name: str, output: type[BaseModel], messages: list[Message]) -> dict[str, Any]:
    """The part of the request that asks for structured output, with the messages."""
    schema = strict_schema(output)
    if mode is Mode.JSON_SCHEMA:
        form = {"name": name, "schema": schema, "strict": True}
        return {"messages": messages, "response_format": {"type": "json_schema", "json_schema": form}}
    if mode is Mode.FUNCTION:
        function = {"name": name, "description": _purpose(output), "parameters": schema}
        forced = {"type": "function", "function": {"name": name}}
        return {"messages": messages, "tools": [{"type": "function", "function": function}], "tool_choice": forced}
    return {"messages": described(messages, schema), "response_format": {"type": "json_object"}}


def described(messages: list[Message], schema: dict[str, Any]) -> list[Message]:
    """The messages with the schema added to the system text, because json_object alone does not describe the fields."""
    system = {**messages[0], "content": f"{messages[0]['content']}\n\n{_in_words(schema)}"}
    return [system, *messages[1:]]


def correction(answer: str, reason: str, schema: dict[str, Any]) -> list[Message]:
    """The messages that show the model its invalid answer and the error."""
    ask = f"That is not valid: {reason}. {_in_words(schema)}"
    return [{"role": "assistant", "content": answer[:4000] or "(nothing)"}, {"role": "user", "content": ask}]


def _in_words(schema: dict[str, Any]) -> str:
    return f"Answer with one JSON object and nothing else. Its JSON schema: {json.dumps(schema, ensure_ascii=False)}"


def _purpose(output: type[BaseModel]) -> str:
    return " ".join((output.__doc__ or "").split())[:500] or "Give the result."
