"""What a model that extracts entities answers: the names it knows that stand in the text given, and relations."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from tests.loopback.answers import Reply

Triple = tuple[str, str, str]
"""Verb phrase, source, target."""
_CAPITALS = re.compile(r"[A-Z][\w-]+(?: [A-Z][\w-]+)*")


def is_extraction(request: Mapping[str, Any]) -> bool:
    return '"extractions"' in _prompt(request)


def asked_text(request: Mapping[str, Any]) -> str:
    """The text between the last question mark of the form and the answer that is to follow."""
    return _prompt(request).rpartition("\nQ: ")[2].removesuffix("A: ").rstrip("\n")


def listed(text: str, names: Mapping[str, str], relations: Sequence[Triple] = ()) -> str:
    """The answer of a model that knows the names (name -> class) and finds those that stand in the text, in order."""
    inside = sorted((name for name in names if name in text), key=text.index)
    items: list[dict[str, Any]] = [{names[name]: name} for name in inside]
    items += [
        {"RELATION": verb, "RELATION_attributes": {"from": source, "to": target}}
        for verb, source, target in relations
        if source in text and target in text
    ]
    return json.dumps({"extractions": items}, ensure_ascii=False)


def extraction_reply(request: Mapping[str, Any], names: Mapping[str, str], relations: Sequence[Triple] = ()) -> Reply:
    return Reply(listed(asked_text(request), names, relations))


def derived_extraction(request: Mapping[str, Any]) -> Reply:
    """Without any knowledge: runs of capitals are concepts, and the first two of a sentence are joined."""
    text = asked_text(request)
    names = {match.group(): "CONCEPT" for match in _CAPITALS.finditer(text) if len(match.group()) > 3}
    return Reply(listed(text, names, list(_joined(text))))


def _joined(text: str) -> Iterator[Triple]:
    for sentence in re.split(r"(?<=[.!?])\s", text):
        first = list(dict.fromkeys(match.group() for match in _CAPITALS.finditer(sentence) if len(match.group()) > 3))
        if len(first) > 1:
            yield "is named with", first[0], first[1]


def _prompt(request: Mapping[str, Any]) -> str:
    content = request["messages"][-1].get("content")
    return content if isinstance(content, str) else ""
