"""Compares the wording of quote and question: kinds and negation."""

import re
from collections.abc import Set as AbstractSet

from core.platform.language.numbers import HAN_NUMERALS
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN
from core.platform.language.stopwords import HAN_PARTICLES
from core.platform.language.terms import normal_form

SHARED = 3
"""Characters after the one that distinguishes two kinds."""
_NUMERALS = frozenset(HAN_NUMERALS)
_DENIAL_EN = r"\b(?:not|no|never|none|neither|nor|without|except|unlike)\b|n['’]t\b"
_DENIAL = re.compile(rf"{_DENIAL_EN}|[不没无未非]", re.IGNORECASE)
_DENIES = pattern(
    r"\b(?:not|no|never|none|neither|nor|without|cannot)\b|n['’]t\b|不(?![同仅但只断少过管论久锈])|没|未(?![来婚])|无(?![线数论])|勿",
    re.IGNORECASE,
)


def denies(text: str) -> bool:
    """Whether the text has a word of denial that is not part of another word ("不同")."""
    return _DENIES.search(normal_form(text)) is not None


def denies_otherwise(question: str, quote: str) -> bool:
    """Whether one of them has a word of denial and the other has none."""
    return (_DENIAL.search(question) is None) != (_DENIAL.search(quote) is None)


def tells_of_another(question: str, quote: str, known: AbstractSet[str]) -> bool:
    """Return whether the quote says of one kind ("红色预警") what is asked of another ("橙色预警") in the known pairs.

    Another number ("二级公路", "三级公路") is another kind whether or not they have it.
    """
    asked, told = normal_form(question), normal_form(quote)
    for at in range(1, len(asked) - SHARED + 1):
        kind, shared = asked[at - 1], asked[at : at + SHARED]
        if kind in told or shared not in told or not HAN_PARTICLES.isdisjoint(shared):
            continue
        is_known = kind + shared[0] in known
        if not is_known and kind not in _NUMERALS:
            continue  # saves compiling an expression for every three shared letters
        before = [match[1] for match in re.finditer(f"([{HAN}]){re.escape(shared)}", told)]
        if not is_known and not _NUMERALS.issuperset(before):
            continue
        if before and len(before) == told.count(shared) and not any(other in asked for other in before):
            return True
    return False
