"""Other names that a text gives in parentheses: Northmere Water ("Northmere"), 临江水务（以下简称“临水”）."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from core.graph.model import ExtractedName
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER
from core.rulebook.entities.acronyms import find_pairs

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
