"""Reads tool calls that a model writes into its text instead of the protocol's field, also while the text streams.

Small models write them as JSON objects: bare, in a fence, between tags, or in a second pair of braces.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from core.models.agent_ports import ToolSchema
from core.platform.plain_text import storable, storable_parts

LONGEST = 4_000
"""Characters of an object that may be a call."""
_ARGUMENTS = ("arguments", "parameters")
_FIRST_KEYS = tuple(f'"{key}"' for key in ("name", *_ARGUMENTS))
_OPENER = re.compile(r"[`<\[{]")
_WRAPPER = re.compile(r"`{1,3}\w*\s*|</?\w*>?\s*|\[\s*|\{(?=\{)")
_TAG = re.compile(r"</?tool(?:s|_call|_response)>\s*")
"""Tags of the templates of models, which some models write around nothing."""
_TAKEN = "\0"
"""Placeholder of a call in a reply; no text of an endpoint has this character."""
_WRAPPED = re.compile(rf"(?:```\w*|<\w+>|[\[{{])?\s*{_TAKEN}(?:[\s,]*{_TAKEN})*\s*(?:```|</\w+>|[\]}}])?")
_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class WrittenCall:
    name: str
    arguments: dict[str, Any]


def read_calls(reply: str, tools: Mapping[str, ToolSchema]) -> tuple[str, list[WrittenCall]]:
    """The reply without its calls, and these.

    In other text, only calls that their tool accepts count; in a reply of calls alone all count, to report errors.
    """
    found = list(_call_shaped(reply))
    if _without(reply, found):
        found = [each for each in found if _is_accepted(each[1], tools)]
    return _TAG.sub("", _without(reply, found)), [call for _, call in found]


class CallFilter:
    """Holds back text from a possible call on, until it is known not to be one."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        self._held += piece
        end = _first_doubtful(self._held)
        shown, self._held = self._held[:end], self._held[end:]
        return _TAG.sub("", shown)

    def finish(self) -> str:
        """The held text, for a reply without a call."""
        return _TAG.sub("", self._held)


def _first_doubtful(text: str) -> int:
    """Index at which a possible call begins; the end of the text if there is none."""
    at = 0
    while opener := _OPENER.search(text, at):
        start = opener.start()
        at = _end_of_other(text, start)
        if at == start:
            return start
    return len(text)


def _end_of_other(text: str, start: int) -> int:
    """End of what begins here and is no call; the start where it is one or may still become one."""
    body = start
    while wrapper := _WRAPPER.match(text, body):
        body = wrapper.end()
    if body == len(text) and body - start < LONGEST:
        return start
    if not text.startswith("{", body):
        return start + 1
    first = text[body + 1 : body + 1 + LONGEST].lstrip()
    if not any(first.startswith(key) or key.startswith(first) for key in _FIRST_KEYS):
        return body + 1
    try:
        found, end = _DECODER.raw_decode(text, body)
    except (ValueError, RecursionError):
        return start if len(text) - body < LONGEST else body + 1
    return start if _as_call(found) else end


def _call_shaped(reply: str) -> Iterator[tuple[tuple[int, int], WrittenCall]]:
    at = reply.find("{")
    while at >= 0:
        end = at + 1
        try:
            found, end = _DECODER.raw_decode(reply, at)
        except (ValueError, RecursionError):
            found = None
        if call := _as_call(found):
            yield (at, end), call
        at = reply.find("{", end)


def _as_call(found: object) -> WrittenCall | None:
    if not isinstance(found, dict) or len(found) != 2:
        return None
    arguments = next((found[key] for key in _ARGUMENTS if key in found), None)
    name = found.get("name")
    return (
        WrittenCall(storable(name), storable_parts(arguments))
        if isinstance(name, str) and isinstance(arguments, dict)
        else None
    )


def _is_accepted(call: WrittenCall, tools: Mapping[str, ToolSchema]) -> bool:
    return call.name in tools and tools[call.name].accepts(call.arguments)


def _without(reply: str, found: list[tuple[tuple[int, int], WrittenCall]]) -> str:
    """The reply without these, their fences and tags."""
    for (start, end), _ in reversed(found):
        reply = f"{reply[:start]}{_TAKEN}{reply[end:]}"
    return _WRAPPED.sub("", reply).strip()
