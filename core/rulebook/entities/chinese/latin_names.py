"""Names in Latin letters inside Chinese text: products, acronyms, people."""

import re
from collections import Counter
from collections.abc import Iterator

from core.rulebook.entities.boilerplate import OPERATORS
from core.rulebook.entities.chinese.names import ChineseName
from core.rulebook.entities.chinese.units import TextUnit, UnitKind
from core.rulebook.entities.english.types import weigh
from core.rulebook.entities.lexicon import is_plain, words
from core.rulebook.entities.spans import CONCEPT, PERSON, TECHNOLOGY, TokenSpan
from core.rulebook.entities.statistics import LEAST_SERIES, MOST_FORMAL, is_numbered_letter
from core.rulebook.entities.tokens import tokenise

_SPELLED = re.compile(r"[^\W\d_]{2,}(?:[ .&'’/-]?[^\W_]+)*|[A-Z]\+\+|[A-Z]+-?\d[^\W_]*")
_SHORTEST, _SHORTEST_LOWER = 4, 5
_UNDECIDED, _FRONT, _UNHINTED = 1.0, 1.5, 0.6
_CONFIDENCE = 0.7
_MOST_IN_PATHS = 0.5
_ROOTS, _PATH_SIGNS = frozenset("/~"), frozenset("/~.-_")


def count_lower(documents: list[list[TextUnit]]) -> Counter[str]:
    """How often each Latin word without capitals occurs."""
    return Counter(
        unit.text for units in documents for unit in units if unit.kind is UnitKind.LATIN and unit.text.islower()
    )


def find_variables(documents: list[list[TextUnit]]) -> frozenset[str]:
    """Words that occur in formulas or paths, not only in sentences: LL(θ), min, D1 beside D2 and D3, /etc/pam.d."""
    seen: Counter[str] = Counter()
    in_paths: Counter[str] = Counter()
    formal: Counter[str] = Counter()
    for units in documents:
        for index, unit in enumerate(units):
            if unit.kind is UnitKind.LATIN:
                seen[unit.text] += 1
                formal[unit.text] += _is_formal(units, index)
                in_paths[unit.text] += _is_in_path(units, index)
    series = Counter(text[0] for text in seen if is_numbered_letter(text))
    labels = {text for text in seen if is_numbered_letter(text) and series[text[0]] >= LEAST_SERIES}
    variables = {text for text, count in formal.items() if count > MOST_FORMAL * seen[text]}
    files = {text for text, count in in_paths.items() if count > _MOST_IN_PATHS * seen[text]}
    return frozenset(variables | files | labels)


def _is_in_path(units: list[TextUnit], index: int) -> bool:
    """Whether it is a part of a file's path: /etc/pam.d, ~/bin."""
    while index and units[index - 1].end == units[index].start and _may_be_path(units[index - 1]):
        index -= 1
    return units[index].text in _ROOTS


def _may_be_path(unit: TextUnit) -> bool:
    return unit.kind in (UnitKind.LATIN, UnitKind.NUMBER) or unit.text in _PATH_SIGNS


def _is_formal(units: list[TextUnit], index: int) -> bool:
    """Whether a sign of formulas stands beside it, or it is called like a function."""
    beside = [units[at] for at in (index - 1, index + 1) if 0 <= at < len(units)]
    if any(unit.text in OPERATORS for unit in beside):
        return True
    following = beside[-1]
    return following.text == "(" and following.start == units[index].end


def find_latin(units: list[TextUnit], lower: Counter[str]) -> Iterator[ChineseName]:
    """Names in order; without a hint of another kind they are taken for products and methods."""
    for index, unit in enumerate(units):
        if unit.kind is not UnitKind.LATIN or not _is_name(unit.text, lower):
            continue
        kind, weight = _weighed(unit, units[index + 1] if index + 1 < len(units) else unit)
        yield ChineseName(index, index, kind, _CONFIDENCE, weight)


def _weighed(unit: TextUnit, following: TextUnit) -> tuple[str, float]:
    """(type, evidence for it)."""
    if following.text in words("zh_technology_heads"):
        return TECHNOLOGY, _UNDECIDED
    if unit.text.islower():
        return TECHNOLOGY, _FRONT
    tokens = tokenise(unit.text)
    span = TokenSpan(0, len(tokens) - 1, 0.0)
    weigh(tokens, span)
    kind, weight = span.best(), max(span.evidence.values())
    if following.kind is UnitKind.NOUN and following.text not in words("zh_titles") and " " not in unit.text:
        return (CONCEPT, _FRONT) if kind in (CONCEPT, PERSON) else (kind, weight)
    return (TECHNOLOGY, _UNHINTED) if kind == CONCEPT and weight < _UNDECIDED else (kind, weight)


def _is_name(text: str, lower: Counter[str]) -> bool:
    """Return whether it is no variable of a formula, unit, file or everyday English word."""
    word = text.lower()
    if word in words("stop_names") or word in words("function_words") or not _SPELLED.fullmatch(text):
        return False
    if text.islower():
        return len(text) >= _SHORTEST_LOWER and lower[text] > 1 and "." not in text and not is_plain(word)
    if text.isupper() or " " in text:
        return True
    return len(text) >= _SHORTEST and not is_plain(word)
