"""Places request values in a prompt as data between tags, which the data cannot close or imitate."""

import re
from collections.abc import Mapping
from dataclasses import fields, is_dataclass
from enum import Enum

from core.documents.model import page_number
from core.memory.model import Memory
from core.models.agent_ports import ToolUse
from core.runs.model import Turn
from core.search.model import Passage

INLINE_LIMIT = 400
"""Characters of a value within a sentence of the prompt."""
NOTHING = "(none)"
_REFERENCE = re.compile(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
_SPACE = re.compile(r"\s+")
_MODEL_TAG = re.compile(r"<(?=\s*[|｜]|(?:start|end)_of_turn>)")
"""The start of a model's control tags, such as <|im_start|>."""


def block(name: str, value: object, names: frozenset[str]) -> str:
    """A value on separate lines between tags; `names` are all tags of the prompt."""
    return f"{opening(name)}\n{_disarmed(_lines(value), names) or NOTHING}\n</{name}>"


def opening(name: str) -> str:
    """The tag before a value."""
    return f"<{name}>"


def inline(value: object, names: frozenset[str]) -> str:
    """A value within a sentence: one line, cut to INLINE_LIMIT characters."""
    line = one_line(", ".join(map(_scalar, value)) if isinstance(value, list | tuple) else _scalar(value))
    return _disarmed(line if len(line) <= INLINE_LIMIT else f"{line[: INLINE_LIMIT - 1]}…", names) or NOTHING


def without_model_tags(text: str) -> str:
    """Text that a server cannot take for the end of a message and the beginning of another."""
    return _MODEL_TAG.sub("‹", text)


def one_line(text: str) -> str:
    return _SPACE.sub(" ", text).strip()


def _disarmed(text: str, names: frozenset[str]) -> str:
    """The text with every `<` that would open or close one of the named tags, or a model's own tag, replaced by ‹."""
    if names:
        text = re.sub(rf"<(?=[\s/]*(?:{'|'.join(sorted(names))})\b)", "‹", text, flags=re.IGNORECASE)
    return without_model_tags(text)


def _lines(value: object) -> str:
    if isinstance(value, list | tuple):
        return "\n".join(_item(number, item) for number, item in enumerate(value, 1))
    if isinstance(value, Mapping):
        return "\n".join(f"{_scalar(key)}: {one_line(_scalar(item))}" for key, item in value.items())
    return _scalar(value).strip()


def _item(number: int, item: object) -> str:
    """One line of a list. A passage takes several, and numbers in brackets are its alone: its own [n] become (n)."""
    if isinstance(item, Passage):
        page = page_number(item.document_name, item.chunk.page)
        where = item.url or (f"page {page}" if page else "")
        place = ", ".join(filter(None, (item.document_name, where, *item.chunk.section)))
        return f"[{number}] {_plain(one_line(place))}\n{_plain(item.chunk.text.strip())}"
    if isinstance(item, Turn):
        return f"{one_line(item.role)}: {one_line(item.text)}"
    if isinstance(item, ToolUse):
        return f"{one_line(item.tool)}({one_line(item.arguments)}):\n{item.result.strip()}"
    return f"- {one_line(_scalar(item))}"


def _plain(text: str) -> str:
    return _REFERENCE.sub(r"(\1)", text)


def _scalar(value: object) -> str:
    if isinstance(value, Enum):
        return str(value.value)
    if isinstance(value, Memory):
        return value.text
    if is_dataclass(value) and type(value).__str__ is object.__str__:
        return "; ".join(f"{field.name}: {_scalar(getattr(value, field.name))}" for field in fields(value))
    return "" if value is None else str(value)
