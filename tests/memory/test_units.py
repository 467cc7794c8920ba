"""Measures in the other units: right, as exact as given, and nothing that may be something else."""

import pytest

from core.memory.units import Units, converted, measured_in, with_measure, without_measure
from core.rulebook.verification import claims


@pytest.mark.parametrize(
    ("measure", "units", "other"),
    [
        ("88 m", Units.IMPERIAL, "290 ft"),
        ("3.82 m", Units.IMPERIAL, "12.5 ft"),
        ("1,200 km", Units.IMPERIAL, "745.6 mi"),
        ("0.5 mm", Units.IMPERIAL, "0.02 in"),
        ("30 公里", Units.IMPERIAL, "19 mi"),
        ("-40 °C", Units.IMPERIAL, "-40 °F"),
        ("10 km/h", Units.IMPERIAL, "6.2 mph"),
        ("12 miles", Units.METRIC, "19 km"),
        ("212 °F", Units.METRIC, "100 °C"),
        ("88 m", Units.METRIC, ""),
        ("$88 m", Units.IMPERIAL, ""),
        ("10 m/s", Units.IMPERIAL, ""),
        ("5 members", Units.IMPERIAL, ""),
        ("5 pounds", Units.METRIC, ""),
        ("about 88 m", Units.IMPERIAL, ""),
    ],
)
def test_a_measure_in_the_other_units(measure: str, units: Units, other: str) -> None:
    assert converted(measure, units) == other


def test_measures_are_recognised_in_a_text() -> None:
    assert measured_in("It is 290 ft (88 m) high.", Units.IMPERIAL)
    assert not measured_in("It took 5 minutes and 3 members in 2024.", Units.METRIC)


def test_what_was_converted_is_no_claim_of_its_own_and_anything_else_is() -> None:
    told = with_measure("**88 m**: “The mast is 88 m high.” [1]", Units.IMPERIAL)
    assert told.startswith("**88 m** (≈ 290 ft)")
    assert "290" not in "".join(claims(told))
    assert without_measure("**88 m** (≈ 400 ft): high") == "**88 m** (≈ 400 ft): high"
