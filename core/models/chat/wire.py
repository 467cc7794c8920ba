"""Parses what an OpenAI-compatible endpoint sends, defensively: replies, stream pieces, token counts."""

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from core.platform.errors import RetryableServiceError, ServiceError
from core.platform.plain_text import storable
from core.runs.model import Usage

LINE_LIMIT = 1_000_000
"""Maximum bytes of one event; a longer one is not a chat completion."""
TOKEN_LIMIT = 100_000_000


@dataclass(frozen=True, slots=True)
class Reply:
    """A complete answer. `arguments` are those of the first tool call and take precedence over the text."""

    text: str
    arguments: str
    finish_reason: str
    usage: Usage | None

    @property
    def content(self) -> str:
        return self.arguments or self.text


@dataclass(frozen=True, slots=True)
class StreamPiece:
    """A part of a streamed answer."""

    text: str = ""
    finish_reason: str = ""
    usage: Usage | None = None
    hidden: str = ""
    """The model's thinking, if the endpoint sends it separately."""
    log_probabilities: tuple[float, ...] = ()
    """Of its tokens, if they were asked for and the endpoint tells them."""


def read_reply(body: str) -> Reply:
    """Raises ServiceError if the body is not a chat completion."""
    answer = _object(body)
    choice = _first_choice(answer)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise ServiceError("llm.malformed")
    return Reply(_text(message.get("content")), _arguments(message), _word(choice), _usage(answer))


def read_pieces(chunks: Iterable[bytes]) -> Iterator[StreamPiece]:
    """The pieces of a server-sent stream. Raises ServiceError for a malformed event or one that reports an error."""
    for data in _events(chunks):
        if data == "[DONE]":
            return
        answer = _object(data)
        choice = _first_choice(answer) if answer.get("choices") else {}
        delta = choice.get("delta")
        delta = delta if isinstance(delta, dict) else {}
        hidden = _text(delta.get("reasoning_content") or delta.get("reasoning"))
        text = _text(delta.get("content"))
        yield StreamPiece(text, _word(choice), _usage(answer), hidden, _log_probabilities(choice) if text else ())


def _events(chunks: Iterable[bytes]) -> Iterator[str]:
    """The data of server-sent events.

    Only a line feed ends a line, because JSON may contain other Unicode line ends.
    """
    buffer = b""
    for chunk in chunks:
        *lines, buffer = (buffer + chunk).split(b"\n")
        if len(buffer) > LINE_LIMIT:
            raise ServiceError("llm.malformed")
        yield from filter(None, map(_data, lines))
    if last := _data(buffer):
        yield last


def _data(line: bytes) -> str:
    field, _, value = line.decode("utf-8", "replace").partition(":")
    return value.strip() if field == "data" else ""


def _object(text: str) -> dict[str, Any]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ServiceError("llm.malformed") from error
    if not isinstance(found, dict):
        raise ServiceError("llm.malformed")
    if found.get("error"):
        raise RetryableServiceError("llm.unavailable")
    return found


def _first_choice(answer: dict[str, Any]) -> dict[str, Any]:
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise ServiceError("llm.malformed")
    return choices[0]


def _word(choice: dict[str, Any]) -> str:
    reason = choice.get("finish_reason")
    return reason if isinstance(reason, str) else ""


def _text(content: object) -> str:
    """Content is a text, or a list of parts of which only the text parts are used."""
    if isinstance(content, list):
        return "".join(_text(part.get("text")) for part in content if isinstance(part, dict))
    return storable(content) if isinstance(content, str) else ""


def _arguments(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    return _text(function.get("arguments")) if isinstance(function, dict) else ""


def _log_probabilities(choice: dict[str, Any]) -> tuple[float, ...]:
    told = choice.get("logprobs")
    tokens = told.get("content") if isinstance(told, dict) else None
    values = [token.get("logprob") for token in tokens if isinstance(token, dict)] if isinstance(tokens, list) else []
    return tuple(float(value) for value in values if isinstance(value, int | float) and value <= 0)


def _usage(answer: dict[str, Any]) -> Usage | None:
    usage = answer.get("usage")
    if not isinstance(usage, dict):
        return None
    prompt, completion = _count(usage.get("prompt_tokens")), _count(usage.get("completion_tokens"))
    return None if prompt is None or completion is None else Usage(1, prompt, completion)


def _count(value: object) -> int | None:
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= TOKEN_LIMIT
    return value if good and isinstance(value, int) else None
