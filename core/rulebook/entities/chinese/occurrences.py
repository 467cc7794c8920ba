"""Where a document mentions each of its Chinese names, and of which words the name is made."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field

from core.graph.model import ExtractedName
from core.rulebook.entities.chinese.units import TextUnit, UnitKind

_NONE = TextUnit(0, 0, "\n", UnitKind.MARK, "w")


@dataclass(slots=True)
class ChineseOccurrences:
    inner: tuple[TextUnit, ...]
    """The words of the first mention."""
    texts: set[int] = field(default_factory=set)
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)


def sightings(
    documents: Sequence[list[TextUnit]], found: Sequence[Sequence[ExtractedName]]
) -> dict[str, ChineseOccurrences]:
    """By name; found has the mentions in each of the documents."""
    seen: dict[str, ChineseOccurrences] = {}
    for index, (units, row) in enumerate(zip(documents, found, strict=True)):
        starts = [unit.start for unit in units]
        for mention in row:
            first, after = bisect_right(starts, mention.start) - 1, bisect_left(starts, mention.end)
            if mention.name not in seen:
                seen[mention.name] = ChineseOccurrences(tuple(units[first:after]))
            of_name = seen[mention.name]
            of_name.texts.add(index)
            of_name.before.add((units[first - 1] if first else _NONE).text)
            of_name.after.add((units[after] if after < len(units) else _NONE).text)
    return seen
