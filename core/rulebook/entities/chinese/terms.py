"""Technical terms of Chinese text: noun runs with a known head, recurring noun runs, quoted names."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from core.rulebook.entities.chinese.names import ChineseName
from core.rulebook.entities.chinese.units import TextUnit, UnitKind
from core.rulebook.entities.lexicon import words
from core.rulebook.entities.spans import CONCEPT, ORGANIZATION, TECHNOLOGY

_LONGEST_TERM = 12
_LONGEST_QUOTE = 14
_LONGEST_NAMED = 8
_SHORTEST_TERM = 4
_UNITS_PER_MENTION = 8000
_NOMINAL = frozenset({UnitKind.NOUN, UnitKind.PROPER})
_LONGEST_TITLE = 30
_QUOTE_WINDOW = 16
_TELLING_ENDING = 3
"""Characters of an ending that tells an organization: 研究所, 委员会."""
_COUNTING = ("r", "m")
"""Tags of pronouns and numbers."""
_EVERYWHERE = 3
"""Places of a term that say that it is never without its modifier."""
_CLOSING = {"《": "》", "〈": "〉", "「": "」", "『": "』", "“": "”"}
_NO_NAME = frozenset("：:，,。；;！!？?_")
"""Signs of a sentence, of a heading in two parts and of an identifier: no name in quotation marks holds one."""
TITLE_MARKS = frozenset({"《", "〈"})


class QuotedUnits(NamedTuple):
    """Units first..last stand between marks of this kind."""

    first: int
    last: int
    mark: str


def find_terms(units: list[TextUnit], taken: set[int]) -> Iterator[ChineseName]:
    """Noun runs that end in a technical head; taken holds the units of names."""
    for first, last in noun_runs(units, taken):
        end = last
        while end >= first and not _head_type(units[end].text):
            end -= 1
        if end < first or not _is_term(units, first, end):
            continue
        kind = _head_type(units[end].text)
        yield ChineseName(first, end, kind, 0.6 if kind == TECHNOLOGY else 0.55, 2.0)


def _is_term(units: list[TextUnit], first: int, last: int) -> bool:
    length = units[last].end - units[first].start
    if not _SHORTEST_TERM <= length <= _LONGEST_TERM:
        return False
    if first == last:
        return units[first].text not in words("zh_generic_nouns")
    return any(unit.text not in words("zh_generic_nouns") for unit in units[first:last])


def _head_type(text: str) -> str:
    for name, kind in (("zh_technology_heads", TECHNOLOGY), ("zh_concept_heads", CONCEPT)):
        if any(text[start:] in words(name) for start in range(max(0, len(text) - 4), len(text))):
            return kind
    return ""


def noun_runs(units: list[TextUnit], taken: set[int]) -> Iterator[tuple[int, int]]:
    """(first, last) of the runs of nouns that touch each other, without modifiers in front."""
    index = 0
    while index < len(units):
        last = index - 1
        while (
            last + 1 < len(units)
            and _is_nominal(units, last + 1, taken)
            and (last < index or units[last + 1].start == units[last].end)
        ):
            last += 1
        first = index
        while first <= last and units[first].text in words("zh_plain_modifiers"):
            first += 1
        if first <= last:
            yield first, last
        index = max(last, index) + 1


def _is_nominal(units: list[TextUnit], index: int, taken: set[int]) -> bool:
    return index not in taken and units[index].kind in _NOMINAL


def with_constant_modifiers(
    found: Sequence[tuple[list[TextUnit], ChineseName]],
) -> Iterator[tuple[list[TextUnit], ChineseName]]:
    """A modifier that stands before a term wherever it stands is a part of it: 主 of 主成分分析."""
    fronts: dict[str, dict[tuple[int, int], str]] = {}
    for units, name in found:
        of_term = fronts.setdefault(_text(units, name.first, name.last), {})
        of_term[id(units), name.first] = _modifier(units, name.first)
    for units, name in found:
        of_term = fronts[_text(units, name.first, name.last)]
        is_part = len(of_term) >= _EVERYWHERE and len(set(of_term.values())) == 1 and all(of_term.values())
        yield units, replace(name, first=name.first - 1) if is_part else name


def _modifier(units: list[TextUnit], first: int) -> str:
    """The word before, unless it is counted or pointed at itself: 各大平台, 四大平台."""
    before = units[first - 1] if first else None
    if before is None or before.end != units[first].start or before.text not in words("zh_plain_modifiers"):
        return ""
    front = units[first - 2] if first > 1 else None
    return "" if front and front.end == before.start and front.tag[:1] in _COUNTING else before.text


def find_recurring(
    documents: Sequence[list[TextUnit]], taken: Sequence[set[int]]
) -> Iterator[tuple[list[TextUnit], ChineseName]]:
    """Runs of two to four nouns that a document uses again and again."""
    places: dict[str, list[tuple[list[TextUnit], int, int]]] = {}
    for units, covered in zip(documents, taken, strict=True):
        for first, last in noun_runs(units, covered):
            for start in range(first, last):
                for end in range(start + 1, min(start + 3, last) + 1):
                    if _is_term(units, start, end):
                        places.setdefault(_text(units, start, end), []).append((units, start, end))
    least = max(2, sum(map(len, documents)) // _UNITS_PER_MENTION)
    often = {text: found for text, found in places.items() if len(found) >= least}
    inside = _counts_inside(often)
    for text, found in often.items():
        if len(found) - inside[text] >= least:
            kind, weight = _recurring_type(text)
            yield from ((units, ChineseName(first, last, kind, 0.5, weight)) for units, first, last in found)


def _recurring_type(text: str) -> tuple[str, float]:
    """(type, weight) by the ending; endings of two characters are those of things too: 中心, 组织."""
    endings = (text[start:] for start in range(1, len(text) - _TELLING_ENDING + 1))
    if any(ending in words("zh_organization_suffixes") or ending in words("legal_forms") for ending in endings):
        return ORGANIZATION, 3.0
    return _head_type(text) or CONCEPT, 1.0


def _text(units: list[TextUnit], first: int, last: int) -> str:
    return "".join(unit.text for unit in units[first : last + 1])


def _counts_inside(often: dict[str, list[tuple[list[TextUnit], int, int]]]) -> Counter[str]:
    """How often a phrase occurs at most as a part of one longer phrase."""
    inside: Counter[str] = Counter()
    for text, found in often.items():
        for start in range(len(text)):
            for end in range(start + _SHORTEST_TERM, len(text) + 1):
                part = text[start:end]
                if part != text and part in often:
                    inside[part] = max(inside[part], len(found))
    return inside


def quotes(units: list[TextUnit]) -> Iterator[QuotedUnits]:
    for index, unit in enumerate(units):
        closing = _CLOSING.get(unit.text)
        if closing is None:
            continue
        for last in range(index + 1, min(index + _QUOTE_WINDOW, len(units))):
            if units[last].text == unit.text:
                break
            if units[last].text == closing:
                if last > index + 1:
                    yield QuotedUnits(index + 1, last - 1, unit.text)
                break


def count_quoted(documents: Sequence[list[TextUnit]], quoted: Sequence[list[QuotedUnits]]) -> Counter[str]:
    pairs = zip(documents, quoted, strict=True)
    return Counter(_text(units, quote.first, quote.last) for units, marks in pairs for quote in marks)


def find_quoted(units: list[TextUnit], marks: list[QuotedUnits], counts: Counter[str]) -> Iterator[ChineseName]:
    """Titles in 《》, and what stands in quotation marks when it is named so, technical, or comes again."""
    for first, last, mark in marks:
        text = _text(units, first, last)
        if not 2 <= len(text) <= (_LONGEST_TITLE if mark in TITLE_MARKS else _LONGEST_QUOTE):
            continue
        if mark in TITLE_MARKS:
            yield ChineseName(first, last, CONCEPT, 0.85, 3.0)
        elif not _NO_NAME.isdisjoint(text):
            continue
        elif _is_named(units, first, last) or (counts[text] > 1 and not _is_word(units, first, last)):
            following = units[last + 2].text if last + 2 < len(units) else ""
            kind = _head_type(following) or _head_type(units[last].text) or CONCEPT
            yield ChineseName(first, last, kind, 0.7, 2.0)


def _is_word(units: list[TextUnit], first: int, last: int) -> bool:
    """One everyday word, quoted for emphasis."""
    return first == last and units[first].kind in (UnitKind.NOUN, UnitKind.OTHER, UnitKind.UNKNOWN)


def _is_named(units: list[TextUnit], first: int, last: int) -> bool:
    before = units[first - 2].text if first > 1 else ""
    following = units[last + 2].text if last + 2 < len(units) else ""
    inner = units[first : last + 1]
    if any(unit.kind is UnitKind.MARK for unit in inner) or (first == last and inner[0].kind is UnitKind.OTHER):
        return False
    if before in words("zh_naming_cues") and inner[-1].end - inner[0].start <= _LONGEST_NAMED:
        return True
    return bool(_head_type(following)) and not any(unit.kind is UnitKind.OTHER for unit in inner)
