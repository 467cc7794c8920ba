"""Chinese text as units: segmented words, Latin runs, numbers and marks, each with what it may be in a name."""

import re
from collections.abc import Iterator, Sequence
from enum import StrEnum, auto
from typing import NamedTuple

from core.platform.language.numbers import HAN_TO_TEN
from core.platform.language.scripts import HAN
from core.rulebook.entities.chinese.segmentation import (
    DOT,
    FOREIGN_TAG,
    UNKNOWN_TAG,
    Dictionary,
    SegmentedWord,
    segment,
)
from core.rulebook.entities.lexicon import phrases, words

_NAME_SIGN = HAN + "〇々"
_LETTER = "A-Za-zÀ-ɏΑ-ωА-я"
_PIECE = re.compile(
    rf"(?P<han>[{_NAME_SIGN}]+(?:·[{_NAME_SIGN}]+)*)"
    rf"|(?P<latin>[{_LETTER}](?:[{_LETTER}0-9_.+#&'’-]*[{_LETTER}0-9+#])?"
    rf"(?: (?:[A-ZÀ-Þ][{_LETTER}0-9.'’-]*[{_LETTER}0-9]|of|the|and|for|de|von|&)(?![{_LETTER}0-9]))*)"
    r"|(?P<number>[\d０-９][\d０-９.,%％:：/-]*[年月日号时分秒届]?)|(?P<blank>[ \t　]+)|(?P<mark>\S|\n)"
)


class UnitKind(StrEnum):
    PERSON = auto()
    FOREIGN = auto()
    PLACE = auto()
    ORGANIZATION = auto()
    PROPER = auto()
    NOUN = auto()
    UNKNOWN = auto()
    LATIN = auto()
    NUMBER = auto()
    MARK = auto()
    OTHER = auto()


SPECIFIC = frozenset(
    {
        UnitKind.PERSON,
        UnitKind.FOREIGN,
        UnitKind.PLACE,
        UnitKind.ORGANIZATION,
        UnitKind.PROPER,
        UnitKind.UNKNOWN,
        UnitKind.LATIN,
    }
)
_LISTS = (
    ("zh_stop_words", UnitKind.OTHER),
    ("zh_persons", UnitKind.PERSON),
    ("zh_generic_nouns", UnitKind.NOUN),
    ("zh_everyday", UnitKind.NOUN),
)
_PERSON_TAGS = frozenset({"nr", "nrt", "nrfg"})
_KINDS = {
    FOREIGN_TAG: UnitKind.FOREIGN,
    UNKNOWN_TAG: UnitKind.UNKNOWN,
    "nt": UnitKind.ORGANIZATION,
    "nz": UnitKind.PROPER,
    **dict.fromkeys(("n", "vn", "an", "ng", "b", "l", "s", "nb", "j"), UnitKind.NOUN),
}
_COMMON_SHORT_PERSON = -13.2
"""Logarithm of the probability above which a "person" of two characters is an everyday word."""
_COMMON_FRONT = -13.0
_ASSOCIATION_ENDINGS = ("足联", "足协", "奥委会", "联合会", "总会")
_NOUN_ENDINGS = frozenset("物赛官器机品家者员会法性化率权税病学力量费价版式型制度线路局部院所处")
_NUMBERED = frozenset(f"{number}世" for number in HAN_TO_TEN)
_GENERIC_FRONTS = frozenset("大小高低南北东西新老古山内外上下前后各本全王旧短半列诸")


class TextUnit(NamedTuple):
    start: int
    end: int
    text: str
    kind: UnitKind
    tag: str


def units_of(text: str, dictionary: Dictionary, masked: Sequence[tuple[int, int]] = ()) -> list[TextUnit]:
    """Units in order; blanks and masked stretches are left out, the latter leave a mark behind."""
    found: list[TextUnit] = []
    for start, end in _open(len(text), masked):
        found.extend(_joined(text, list(_units(text, start, end, dictionary))))
        found.append(TextUnit(end, end, "", UnitKind.MARK, "w"))
    return found


def _open(length: int, masked: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    position = 0
    for start, end in masked:
        yield position, start
        position = end
    yield position, length


def _units(text: str, start: int, end: int, dictionary: Dictionary) -> Iterator[TextUnit]:
    for match in _PIECE.finditer(text, start, end):
        begin, stop = match.span()
        if match.lastgroup == "han":
            for word in segment(text, begin, stop, dictionary):
                yield TextUnit(word.start, word.end, word.text, _kind(word, dictionary), word.tag)
        elif match.lastgroup == "latin":
            yield TextUnit(begin, stop, match.group(), UnitKind.LATIN, "eng")
        elif match.lastgroup == "number":
            yield TextUnit(begin, stop, match.group(), UnitKind.NUMBER, "m")
        elif match.lastgroup == "mark":
            yield TextUnit(begin, stop, match.group(), UnitKind.MARK, "w")


def _kind(word: SegmentedWord, dictionary: Dictionary) -> UnitKind:
    text, tag = word.text, word.tag
    listed = next((kind for name, kind in _LISTS if text in words(name)), None)
    if listed is not None:
        return listed
    if text in phrases("zh_places"):
        return UnitKind.PLACE
    if _is_generic_place(text):
        return UnitKind.NOUN
    if tag in _PERSON_TAGS:
        return _person_kind(text, tag, dictionary)
    return _place_kind(text) if tag == "ns" else _KINDS.get(tag, UnitKind.OTHER)


def _joined(text: str, units: list[TextUnit]) -> Iterator[TextUnit]:
    """Pieces of one foreign name that the dictionary tore apart are put together: 叶甫根 + 尼·普鲁申科, 卡洛 + 二世."""
    index = 0
    while index < len(units):
        last = index
        while last + 1 < len(units) and _goes_on(units[last], units[last + 1]):
            last += 1
        inner = units[index : last + 1]
        if last > index and any(unit.kind is UnitKind.FOREIGN for unit in inner):
            yield TextUnit(
                inner[0].start, inner[-1].end, text[inner[0].start : inner[-1].end], UnitKind.FOREIGN, FOREIGN_TAG
            )
            index = last + 1
        else:
            yield units[index]
            index += 1


def _goes_on(unit: TextUnit, following: TextUnit) -> bool:
    if unit.end != following.start or not (_sounds_foreign(unit) and _sounds_foreign(following)):
        return unit.end == following.start and unit.kind is UnitKind.FOREIGN and following.text in _NUMBERED
    return UnitKind.FOREIGN in (unit.kind, following.kind)


def _sounds_foreign(unit: TextUnit) -> bool:
    if unit.kind is UnitKind.FOREIGN:
        return True
    short = len(unit.text) == 1 or unit.kind in (UnitKind.PERSON, UnitKind.UNKNOWN)
    return short and unit.kind is not UnitKind.MARK and words("zh_transliteration").issuperset(unit.text)


def _is_generic_place(text: str) -> bool:
    """Directions, sizes and the like in front of a kind of place: 北区, 大国, 老城."""
    return len(text) == 2 and text[0] in _GENERIC_FRONTS and text[1] in words("zh_location_suffixes")


def _place_kind(text: str) -> UnitKind:
    """Whether what the dictionary calls a place is one; some are counted things, leagues or associations."""
    if len(text) == 1 or text[0] in HAN_TO_TEN + "两半":
        return UnitKind.NOUN
    if text.endswith(_ASSOCIATION_ENDINGS):
        return UnitKind.ORGANIZATION
    return UnitKind.PROPER if text[-2:] in words("zh_concept_heads") else UnitKind.PLACE


def _person_kind(text: str, tag: str, dictionary: Dictionary) -> UnitKind:
    """Whether what the dictionary calls a person is one: a family name and a given name, or sounds of a foreign one."""
    sounds_foreign = words("zh_transliteration").issuperset(text)
    if DOT in text or (sounds_foreign and len(text) > 2 and tag != "nr"):
        return UnitKind.FOREIGN
    if len(text) == 1:
        return UnitKind.UNKNOWN
    if _is_everyday(text, dictionary):
        return UnitKind.NOUN
    family = 2 if text[:2] in words("zh_surnames") else 1
    if text[:family] in words("zh_surnames") and 0 < len(text) - family <= 2:
        return UnitKind.PERSON
    return UnitKind.FOREIGN if sounds_foreign else UnitKind.NOUN


def _is_everyday(text: str, dictionary: Dictionary) -> bool:
    """A word that only looks like a name: frequent and short, made of everyday words, or with the ending of a noun."""
    entry = dictionary.entry(text)
    if entry is None:
        return False
    if len(text) == 2:
        return entry.logarithm > _COMMON_SHORT_PERSON
    front = dictionary.entry(text[:2])
    return text[-1] in _NOUN_ENDINGS or (
        front is not None and front.tag[:2] not in ("nr", "ns") and front.logarithm > _COMMON_FRONT
    )
