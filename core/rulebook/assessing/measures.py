"""The value that leads an answer, also in the units that the reader prefers."""

import re

from core.memory.units import Units, converted
from core.rulebook.understanding.topics import VALUE

_CURRENCIES = frozenset("$€£¥")
_CONVERTED = re.compile(rf"{VALUE.pattern} \(≈ ([^()\n]+)\)")


def with_measure(answer: str, units: Units) -> str:
    """The answer as it is where its value is no measure of its own: "88 m" beside money may be 88 million, and
    "12 metres" before "per second" is none."""
    value = VALUE.match(answer)
    if value is None or not _CURRENCIES.isdisjoint(answer) or f"{value[1]} per " in answer:
        return answer
    other = converted(value[1], units)
    return f"{answer[: value.end()]} (≈ {other}){answer[value.end() :]}" if other else answer


def without_measure(answer: str) -> str:
    """Without what with_measure() adds: no passage says it. Anything else in its place stays."""

    def plain(found: re.Match[str]) -> str:
        right = found[2] in {converted(found[1], units) for units in Units}
        return f"**{found[1]}**" if right else found[0]

    return _CONVERTED.sub(plain, answer)
