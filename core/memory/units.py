"""Measures in metric and imperial units, one as the other, and the value that leads an answer in both."""

import re
from dataclasses import dataclass
from enum import StrEnum

from core.platform.language.answer_marks import VALUE
from core.platform.language.patterns import pattern


class Units(StrEnum):
    METRIC = "metric"
    IMPERIAL = "imperial"


@dataclass(frozen=True, slots=True)
class _Unit:
    system: Units
    names: tuple[str, ...]
    """As documents write it; none that may be something else, such as pounds of money or in."""
    other: str
    """The unit of the other system that a measure is given in."""
    factor: float
    offset: float = 0.0


_KNOWN = (
    _Unit(Units.METRIC, ("km", "kilometre", "kilometres", "kilometer", "kilometers", "公里", "千米"), "mi", 0.621371),
    _Unit(Units.METRIC, ("m", "metre", "metres", "meter", "meters", "米"), "ft", 3.28084),
    _Unit(Units.METRIC, ("cm", "centimetre", "centimetres", "centimeter", "centimeters", "厘米"), "in", 0.393701),
    _Unit(Units.METRIC, ("mm", "millimetre", "millimetres", "millimeter", "millimeters", "毫米"), "in", 0.0393701),
    _Unit(Units.METRIC, ("kg", "kilogram", "kilograms", "kilogramme", "kilogrammes", "千克", "公斤"), "lb", 2.20462),
    _Unit(Units.METRIC, ("km/h",), "mph", 0.621371),
    _Unit(Units.METRIC, ("°c", "摄氏度"), "°F", 1.8, 32.0),
    _Unit(Units.IMPERIAL, ("mi", "mile", "miles", "英里"), "km", 1.609344),
    _Unit(Units.IMPERIAL, ("ft", "foot", "feet", "英尺"), "m", 0.3048),
    _Unit(Units.IMPERIAL, ("inch", "inches", "英寸"), "cm", 2.54),
    _Unit(Units.IMPERIAL, ("lb", "lbs", "磅"), "kg", 0.453592),
    _Unit(Units.IMPERIAL, ("mph",), "km/h", 1.609344),
    _Unit(Units.IMPERIAL, ("°f", "华氏度"), "°C", 5 / 9, -160 / 9),
)
_BY_NAME = {name: unit for unit in _KNOWN for name in unit.names}
_MEASURE = pattern(
    rf"(?<![\w.,$€£¥])([-−]?\d+(?:,\d{{3}})*(?:\.\d+)?)\s?"
    rf"({'|'.join(sorted(map(re.escape, _BY_NAME), key=len, reverse=True))})(?![A-Za-z/²³])",
    re.IGNORECASE,
)

_CURRENCIES = frozenset("$€£¥")
_CONVERTED = pattern(rf"{VALUE.pattern} \(≈ ([^()\n]+)\)")


def converted(measure: str, units: Units) -> str:
    """A number with its unit, in the other units: "88 m" is "290 ft", as exact as it was given.

    "" for what is no measure, or is one in these units already.
    """
    found = _MEASURE.fullmatch(measure.strip())
    if found is None or (unit := _BY_NAME[found[2].lower()]).system is units:
        return ""
    digits = found[1].replace(",", "").replace("−", "-")
    value = float(digits) * unit.factor + unit.offset
    return f"{_rounded(value, digits)} {unit.other}"


def measured_in(text: str, units: Units) -> bool:
    """Whether the text gives a measure in these units."""
    return any(_BY_NAME[found[2].lower()].system is units for found in _MEASURE.finditer(text))


def with_measure(answer: str, units: Units) -> str:
    """Return the answer with its leading value in the other units too, unless that is no measure of its own.

    "88 m" beside money may be 88 million, and "12 metres" before "per second" is no length.
    """
    value = VALUE.match(answer)
    if value is None or not _CURRENCIES.isdisjoint(answer) or f"{value[1]} per " in answer:
        return answer
    other = converted(value[1], units)
    return f"{answer[: value.end()]} (≈ {other}){answer[value.end() :]}" if other else answer


def without_measure(answer: str) -> str:
    """Return the answer without what with_measure() adds, which no passage says; anything else in its place stays."""

    def plain(found: re.Match[str]) -> str:
        right = found[2] in {converted(found[1], units) for units in Units}
        return f"**{found[1]}**" if right else found[0]

    return _CONVERTED.sub(plain, answer)


def _rounded(value: float, digits: str) -> str:
    """The value with as many significant digits as were given, but at least two."""
    given = len(digits.replace("-", "").replace(".", "").lstrip("0"))
    rounded = float(f"{value:.{max(2, given) - 1}e}")
    return f"{rounded:,.0f}" if abs(rounded) >= 10 ** (max(2, given) - 1) else f"{rounded:,.10g}"
