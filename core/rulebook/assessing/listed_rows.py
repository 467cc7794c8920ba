"""Whether a row of a table is one that a question for some of the rows asks for, by a column of yes and no."""

import re
from collections.abc import Sequence

from core.platform.language.patterns import pattern
from core.platform.language.terms import content_terms, normal_form

_YES = frozenset(["yes", "y", "true", "✓", "✔", "√", "是", "有"])
_NO = frozenset(["no", "n", "false", "✗", "✘", "×", "否", "无"])
_WHICH = pattern(r"\b(?:which|what|list|show|name)\b|哪|列出", re.IGNORECASE)
_NOT = pattern(r"\b(?:not|no|none|without|out of|\w+n['’]t)\b|[不没未缺无]")


def says_what_is_asked(question: str, columns: Sequence[str], cells: Sequence[str]) -> bool | None:
    """None where no rows are asked for, or not by exactly one column in which the row says yes or no."""
    asked = frozenset(content_terms(normal_form(question)))
    told = [(name, cell.casefold()) for name, cell in zip(columns, cells, strict=True)][1:]
    named = [(name, cell) for name, cell in told if cell in _YES | _NO and _is_named(name, asked)]
    if len(named) != 1 or not _WHICH.search(question):
        return None
    name, cell = named[0]
    return (cell in _NO) == (_denies(question) != _denies(name))


def _is_named(column: str, asked: frozenset[str]) -> bool:
    terms = frozenset(content_terms(normal_form(column)))
    return bool(terms) and terms <= asked


def _denies(text: str) -> bool:
    return _NOT.search(normal_form(text).casefold().replace("_", " ")) is not None
