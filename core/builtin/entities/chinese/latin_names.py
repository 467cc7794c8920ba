"""Names in Latin letters inside Chinese text: products, acronyms, people."""

import re
from collections import Counter
from collections.abc import Iterator

from core.builtin.entities.chinese.names import Name
from core.builtin.entities.chinese.units import Kind, Unit
from core.builtin.entities.english.types import weigh
from core.builtin.entities.lexicon import is_plain, words
from core.builtin.entities.spans import CONCEPT, TECHNOLOGY, Span
from core.builtin.entities.tokens import tokenise

_SPELLED = re.compile(r"[^\W\d_]{2,}(?:[ .&'’/-]?[^\W_]+)*|[A-Z]\+\+|[A-Z]+-?\d[^\W_]*")
_SHORTEST, _SHORTEST_LOWER = 4, 5
_UNDECIDED = 1.0
_CONFIDENCE = 0.7


def count_lower(documents: list[list[Unit]]) -> Counter[str]:
    """How often each Latin word without capitals occurs."""
    return Counter(
        unit.text for units in documents for unit in units if unit.kind is Kind.LATIN and unit.text.islower()
    )


def find_latin(units: list[Unit], lower: Counter[str]) -> Iterator[Name]:
    """Names in order; without a hint of another kind they are taken for products and methods."""
    for index, unit in enumerate(units):
        if unit.kind is not Kind.LATIN or not _is_name(unit.text, lower):
            continue
        tokens = tokenise(unit.text)
        span = Span(0, len(tokens) - 1, 0.0)
        weigh(tokens, span)
        kind, weight = span.best(), max(span.evidence.values())
        following = units[index + 1].text if index + 1 < len(units) else ""
        if following in words("zh_technology_heads") or (kind == CONCEPT and weight < _UNDECIDED):
            kind, weight = TECHNOLOGY, _UNDECIDED
        yield Name(index, index, kind, _CONFIDENCE, weight)


def _is_name(text: str, lower: Counter[str]) -> bool:
    """Not a variable of a formula, a unit or an everyday English word."""
    word = text.lower()
    if word in words("stop_names") or word in words("function_words") or not _SPELLED.fullmatch(text):
        return False
    if text.islower():
        return len(text) >= _SHORTEST_LOWER and lower[text] > 1 and not is_plain(word)
    if text.isupper() or " " in text:
        return True
    return len(text) >= _SHORTEST and not is_plain(word)
