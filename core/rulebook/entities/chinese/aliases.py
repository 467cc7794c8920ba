"""Other names that Chinese text gives in parentheses: 长短期记忆网络（LSTM）, 临江水务公司（以下简称“临江水务”）."""

from collections.abc import Callable, Iterator

from core.rulebook.entities.acronyms import is_acronym
from core.rulebook.entities.chinese.units import TextUnit, UnitKind

_OPEN = frozenset({"（", "("})
_NAMING = frozenset({"简称", "以下简称", "下称", "以下", "又称", "也称", "全称", "英文", "英语"})
_SKIPPED = frozenset({"“", '"', "「", "：", ":", "为"})
_LONGEST_NAME = 20
_MOST_UNITS = 8


def find_aliases(text: str, units: list[TextUnit], is_known: Callable[[str], bool]) -> Iterator[tuple[str, str]]:
    """(name, other name) for every known name that a parenthesis follows."""
    for index in range(1, len(units) - 2):
        if units[index].text not in _OPEN:
            continue
        other = _inside(units, index + 1)
        name = _ending_at(text, units[index].start, is_known) if len(other) > 1 else ""
        if name and other != name:
            yield name, other


def _inside(units: list[TextUnit], first: int) -> str:
    """The other name in the parenthesis that opens here: a Latin one, or whatever stands behind 简称."""
    index = first
    while index + 1 < len(units) and (units[index].text in _NAMING or units[index].text in _SKIPPED):
        index += 1
    unit = units[index]
    if unit.kind is UnitKind.LATIN and (is_acronym(unit.text) or unit.text[0].isupper()):
        return unit.text
    return _named(units, index) if index > first else ""


def _named(units: list[TextUnit], first: int) -> str:
    """The words from here to the closing mark."""
    last = first
    while last < len(units) and last - first < _MOST_UNITS and units[last].kind is not UnitKind.MARK:
        last += 1
    return "".join(unit.text for unit in units[first:last])


def _ending_at(text: str, end: int, is_known: Callable[[str], bool]) -> str:
    """The longest known name that ends at this character."""
    candidates = (text[start:end] for start in range(max(0, end - _LONGEST_NAME), end - 1))
    return next((candidate for candidate in candidates if is_known(candidate)), "")
