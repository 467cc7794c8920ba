"""Acronyms and what they stand for: "long form (LF)" and "LF (long form)"; and other names given in parentheses.

Such as Northmere Water ("Northmere"), 临江水务（以下简称“临水”）.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from core.graph.model import ExtractedName
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER

_PARENTHESES = re.compile(r"[（(][ \t]?(?=[^()（）\n]{2,80}[)）])([^()（）\n,;，；、]+)")
"""Parentheses and their content up to a separator."""
_TRAILING = re.compile(r"([^\W\d_][\w&.\-]{1,9})[ \t]?$")
_LONGEST = 10
_SMALL = frozenset({"a", "an", "the", "of", "and"})
"""Words that no long form begins with; "in vitro fertilisation" does begin with a small word."""
_WORD_START = re.compile(r"(?<![^\W_])[^\W_]|(?<=[a-z])[A-Z]")
_WORD = re.compile(r"[^\W\d_]+")
_BREAKS = ".!?;:,()[]。！？；：，（）\n"
_BLANKS = " \t\"'”’"
_WIDEST = 100
"""Characters in front of a parenthesis in which a long form may lie."""


@dataclass(frozen=True, slots=True)
class Pair:
    """Two stretches (start, end) of one text that name the same thing."""

    long: tuple[int, int]
    short: tuple[int, int]


def find_pairs(text: str) -> Iterator[Pair]:
    """Every long form in Latin script with its acronym, in order."""
    for match in _PARENTHESES.finditer(text):
        inner = match.group(1).rstrip()
        start = match.start(1)
        if is_acronym(inner):
            end = _name_end(text, match.start())
            begin = _begin(text, end, inner)
            if begin is not None:
                yield Pair((begin, end), (start, start + len(inner)))
            continue
        before = _TRAILING.search(text, max(0, match.start() - 12), match.start())
        if (
            before is not None
            and is_acronym(before.group(1))
            and _begin(text, start + len(inner), before.group(1)) == start
        ):
            yield Pair((start, start + len(inner)), before.span(1))


def _name_end(text: str, opening: int) -> int:
    """Return the end of the name in front of a parenthesis, skipping another: Board (United States) (PCAOB)."""
    before = text[max(0, opening - _WIDEST) : opening].rstrip(_BLANKS)
    if before.endswith(")") and "(" in before:
        before = before[: before.rindex("(")].rstrip(_BLANKS)
    return max(0, opening - _WIDEST) + len(before)


def is_acronym(text: str) -> bool:
    """Two to ten characters that start with a letter; at least two and half of all are capitals."""
    capitals = sum(map(str.isupper, text))
    plain = text[:1].isalpha() and len(text) <= _LONGEST and all(sign.isalnum() or sign in "_&.-" for sign in text)
    return plain and capitals >= 2 and 2 * capitals >= len(text.rstrip("s"))


def _begin(text: str, end: int, acronym: str) -> int | None:
    """Return the start of the words that end at `end` and spell the acronym; None when they do not."""
    letters = [c for c in acronym.lower().rstrip("s" if acronym[-1] == "s" else "") if c.isalnum()]
    widest = max(0, end - _WIDEST)
    floor = max(widest, *(text.rfind(sign, widest, end) + 1 for sign in _BREAKS))
    starts = [match.start() for match in _WORD_START.finditer(text, floor, end)]
    position = _by_initials(text, starts, letters)
    if position is None:
        position = _by_letters(text, floor, end, letters, frozenset(starts))
    words = sum(start >= position for start in starts)
    return position if position >= 0 and 2 <= words <= len(letters) + 3 else None


def _by_initials(text: str, starts: list[int], letters: list[str]) -> int | None:
    """Return the start of the last words whose first letters are the acronym; None when they are not."""
    last = len(starts) - len(letters)
    if last < 0 or any(text[start].lower() != letter for start, letter in zip(starts[last:], letters, strict=True)):
        return None
    return None if _is_small(text, starts[last]) else starts[last]


def _by_letters(text: str, floor: int, end: int, letters: list[str], starts: frozenset[int]) -> int:
    """Letters matched from the last to the first, each as far right as possible; -1 when they do not spell it.

    The first letter, and half of all, must start words; no long form starts with a small word: TACL is not "the
    Association for Computational Linguistics".
    """
    position, hits = end, 0
    opening = frozenset(start for start in starts if not _is_small(text, start))
    for index in range(len(letters) - 1, -1, -1):
        position = _previous(text, floor, position, letters[index], opening if index == 0 else None)
        if position < 0:
            return -1
        hits += position in starts
    return position if 2 * hits >= len(letters) else -1


def _is_small(text: str, start: int) -> bool:
    word = _WORD.match(text, start)
    return word is not None and word.group() in _SMALL


def _previous(text: str, floor: int, position: int, letter: str, only: frozenset[int] | None) -> int:
    for candidate in range(position - 1, floor - 1, -1):
        if text[candidate].lower() == letter and (only is None or candidate in only):
            return candidate
    return -1


_GIVES = pattern(r"[\s\"”’']{0,2}[(（][^()（）。.;；\n]{0,16}")
"""What stands between a name and another one in parentheses."""
_OPENS = pattern(r"\s?[(（]\s?")


def short_names(text: str, names: Sequence[ExtractedName]) -> list[ExtractedName]:
    """The names of a text; two of which the text says that they name the same thing are each other's aliases."""
    found = list(names)
    places = {(name.start, name.end): number for number, name in enumerate(names)}
    pairs = {(places.get(pair.long), places.get(pair.short)) for pair in find_pairs(text)}
    pairs |= {(number, number + 1) for number, two in enumerate(pairwise(names)) if _is_given(text, *two)}
    for one, other in sorted((one, other) for one, other in pairs if one is not None and other is not None):
        for name, alias in ((one, other), (other, one)):
            found[name] = replace(found[name], aliases=(*found[name].aliases, names[alias].name))
    return found


def _is_given(text: str, name: ExtractedName, other: ExtractedName) -> bool:
    if _GIVES.fullmatch(text, name.end, other.start) is None:
        return False
    if _is_part(other.name, name.name):
        return True
    is_alone = _OPENS.fullmatch(text, name.end, other.start) is not None and text.startswith((")", "）"), other.end)
    return is_alone and name.type == other.type and _is_han(name.name) != _is_han(other.name)


def _is_part(short: str, long: str) -> bool:
    """Whether the letters of the one stand in this order in the other."""
    letters = iter(long.lower())
    return len(short) < len(long) and all(letter in letters for letter in short.lower() if letter.isalnum())


def _is_han(name: str) -> bool:
    return HAN_CHARACTER.search(name) is not None
