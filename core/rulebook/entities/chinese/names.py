"""Persons, places and organisations of Chinese text, from units and the words around them."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.rulebook.entities.chinese.units import SPECIFIC, TextUnit, UnitKind
from core.rulebook.entities.lexicon import words
from core.rulebook.entities.spans import LOCATION, ORGANIZATION, PERSON

_LONGEST_NAME = 7
_TAGGED = 0.6
"""Weight of a type that only the dictionary gives, or the last character of one word."""
_LEGAL_FORMS = ("有限公司", "有限责任公司", "股份公司")
_NOMINAL = frozenset("nabgijlsxz")
"""First letters of the tags of words that names are made of."""
_LEAST_FRONTS, _MOSTLY_FRONT = 2, 0.4


@dataclass(slots=True)
class ChineseName:
    """Units first..last (inclusive) with a type."""

    first: int
    last: int
    type: str
    confidence: float
    weight: float = 1.0


def find_names(units: list[TextUnit]) -> list[ChineseName]:
    """Names in order without overlaps."""
    names: list[ChineseName] = []
    companies = {company.first: company for company in _companies(units)}
    index = 0
    while index < len(units):
        name = companies.get(index) or _name(units, index)
        if name is None:
            index += 1
            continue
        if not _is_people(units, name):
            names.append(name)
        index = name.last + 1
    return names


def _companies(units: list[TextUnit]) -> Iterator[ChineseName]:
    """What stands before a legal form is the company's name, whatever its words are: 小米科技有限公司."""
    for last, unit in enumerate(units):
        if unit.text.endswith(_LEGAL_FORMS):
            first = last
            while last - first < _LONGEST_NAME and first and _is_of_company(units[first - 1], units[first]):
                first -= 1
            if first < last:
                yield ChineseName(first, last, ORGANIZATION, 0.9)


def _is_of_company(unit: TextUnit, following: TextUnit) -> bool:
    """高新 is an adverb to the dictionary, 西 of 西陇 a direction."""
    plain = unit.tag[:1] in _NOMINAL or unit.tag in ("vn", "f") or (unit.tag == "d" and len(unit.text) > 1)
    return plain and unit.end == following.start and not unit.text.endswith(("公司", "企业", "机构", "股东"))


def find_fronts(documents: Sequence[list[TextUnit]], named: Sequence[list[ChineseName]]) -> frozenset[str]:
    """Seeming persons that mostly stand right before a noun and are the front of a term: 欧氏 + 距离, 高维 + 空间."""
    seen: Counter[str] = Counter()
    before: Counter[str] = Counter()
    for units, names in zip(documents, named, strict=True):
        for name in names:
            unit = units[name.first]
            if unit.kind in (UnitKind.PERSON, UnitKind.FOREIGN) and name.first == name.last:
                following = units[name.last + 1] if name.last + 1 < len(units) else unit
                seen[unit.text] += 1
                before[unit.text] += following.start == unit.end and _is_thing(following)
    return frozenset(text for text, count in before.items() if count >= max(_LEAST_FRONTS, _MOSTLY_FRONT * seen[text]))


def _is_thing(unit: TextUnit) -> bool:
    if unit.text in words("zh_titles") or unit.text in words("zh_person_cues"):
        return False
    return unit.kind in (UnitKind.NOUN, UnitKind.PROPER) or unit.tag == "n"


def as_nouns(units: list[TextUnit], fronts: frozenset[str]) -> list[TextUnit]:
    return [unit._replace(kind=UnitKind.NOUN) if unit.text in fronts else unit for unit in units] if fronts else units


def _name(units: list[TextUnit], index: int) -> ChineseName | None:
    """The longest name that starts here."""
    return _organization(units, index) or _place(units, index) or _person(units, index)


def _is_people(units: list[TextUnit], name: ChineseName) -> bool:
    """A people or a language named after a place: 日本人, 孟加拉语."""
    following = units[name.last + 1] if name.last + 1 < len(units) else None
    if following is None or name.type not in (LOCATION, PERSON) or following.start != units[name.last].end:
        return False
    return following.text in words("zh_people_suffixes")


def _organization(units: list[TextUnit], first: int) -> ChineseName | None:
    """The longest run that ends like an organisation and holds something specific: 北京市教育委员会."""
    if not (units[first].kind in SPECIFIC or units[first].text in words("zh_prefixes")):
        return None
    found: ChineseName | None = None
    specific = False
    for last in range(first, min(first + _LONGEST_NAME, len(units))):
        if last > first and not _continues(units, last, found):
            break
        specific = specific or _is_specific(units, first, last)
        if specific and _ends_organization(units, first, last):
            named = last > first or bool(_suffix(units[last].text, "zh_organization_suffixes"))
            found = ChineseName(first, last, ORGANIZATION, 0.85, 1.0 if named else _TAGGED)
    return found


def _continues(units: list[TextUnit], index: int, found: ChineseName | None) -> bool:
    """Whether the unit joins the one before, and begins no other name behind the one that was found."""
    begins_another = found and found.last < index - 1 and units[index].kind in (UnitKind.PLACE, UnitKind.PERSON)
    return not begins_another and units[index].start == units[index - 1].end and _may_continue(units[index])


def _is_specific(units: list[TextUnit], first: int, last: int) -> bool:
    """A technical word only counts where nothing but prefixes stands before it: 国际天文联会."""
    if units[last].kind is UnitKind.PROPER:
        return all(unit.text in words("zh_prefixes") for unit in units[first:last])
    return units[last].kind in SPECIFIC


def _ends_organization(units: list[TextUnit], first: int, last: int) -> bool:
    unit = units[last]
    suffix = _suffix(unit.text, "zh_organization_suffixes")
    if unit.kind is UnitKind.ORGANIZATION:
        return True
    if not suffix or last == first:
        return False
    if suffix != unit.text:
        return len(suffix) > 1 or unit.kind in SPECIFIC
    before = units[last - 1]
    return len(suffix) > 1 or (before.kind in SPECIFIC and before.kind is not UnitKind.PERSON and len(before.text) > 1)


def _may_continue(unit: TextUnit) -> bool:
    return (
        unit.kind in SPECIFIC
        or unit.kind is UnitKind.NOUN
        or unit.text in words("zh_organization_suffixes")
        or unit.text in words("zh_prefixes")
    )


def _suffix(text: str, name: str) -> str:
    """The longest ending of the text that the list holds."""
    suffixes = words(name)
    return next((text[start:] for start in range(len(text)) if text[start:] in suffixes), "")


def _place(units: list[TextUnit], first: int) -> ChineseName | None:
    """A place with its parts from large to small: 美国俄亥俄州萨米特县."""
    if units[first].kind not in SPECIFIC:
        return None
    last: int | None = None
    index = first
    while index < len(units) and (index == first or units[index].start == units[index - 1].end):
        stop = _place_part(units, index)
        if stop is None:
            break
        last, index = stop, stop + 1
    if last is None:
        return None
    if last > first:
        return ChineseName(first, last, LOCATION, 0.85)
    is_known = units[first].kind is UnitKind.PLACE
    return ChineseName(first, last, LOCATION, 0.85 if is_known else 0.7, 1.0 if is_known else _TAGGED)


def _place_part(units: list[TextUnit], first: int) -> int | None:
    """The last unit of one part: a known place, or a name with the ending of a place."""
    unit = units[first]
    for last in range(min(first + 3, len(units) - 1), first, -1):
        inner = units[first : last + 1]
        if all(b.start == a.end for a, b in pairwise(inner)) and _ends_place(inner):
            return last
    if unit.kind is UnitKind.PLACE:
        return first
    if (
        unit.kind in (UnitKind.PROPER, UnitKind.PERSON, UnitKind.FOREIGN)
        and len(unit.text) > 2
        and _suffix(unit.text, "zh_location_suffixes")
        and unit.tag != "nr"
    ):
        return first
    return None


def _ends_place(inner: list[TextUnit]) -> bool:
    suffix = inner[-1].text
    if (
        suffix not in words("zh_location_suffixes")
        or inner[0].kind not in SPECIFIC
        or inner[0].kind is UnitKind.ORGANIZATION
    ):
        return False
    if any(unit.kind not in SPECIFIC and unit.kind is not UnitKind.NOUN for unit in inner[1:-1]):
        return False
    return suffix not in words("zh_weak_location_suffixes") or inner[-2].kind in SPECIFIC


def _person(units: list[TextUnit], index: int) -> ChineseName | None:
    unit = units[index]
    if unit.text in words("zh_surnames") and _is_titled_phrase(units, index):
        return ChineseName(index, index + 1, PERSON, 0.85, 3.0)
    if unit.kind not in (UnitKind.PERSON, UnitKind.FOREIGN):
        return None
    before, after = _neighbours(units, index)
    titles = words("zh_titles")
    if {before, after} & titles or after in words("zh_person_cues") or _is_full(unit.text):
        return ChineseName(index, index, PERSON, 0.9, 3.0)
    if unit.kind is UnitKind.FOREIGN:
        return ChineseName(index, index, PERSON, 0.6, 0.8)
    return ChineseName(index, index, PERSON, 0.75, 1.5 if len(unit.text) > 2 else 1.0)


def _is_full(text: str) -> bool:
    """菲德尔·卡斯特罗, 卡洛二世."""
    return "·" in text or text.endswith("世")


def _neighbours(units: list[TextUnit], index: int) -> tuple[str, str]:
    """The words that touch the unit on both sides, empty where none does."""
    unit = units[index]
    before = units[index - 1].text if index and units[index - 1].end == unit.start else ""
    after = units[index + 1].text if index + 1 < len(units) and units[index + 1].start == unit.end else ""
    return before, after


def _is_titled_phrase(units: list[TextUnit], index: int) -> bool:
    """A family name and a given name that is also a word, in front of a title: 蔡 + 英文 + 总统."""
    if index + 2 >= len(units):
        return False
    unit, given, title = units[index : index + 3]
    touching = unit.end == given.start and given.end == title.start
    return touching and len(given.text) <= 2 and given.kind is not UnitKind.MARK and title.text in words("zh_titles")
