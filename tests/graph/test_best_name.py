"""Under which name duplicates are merged."""

import pytest

from core.graph.duplicates.suggestions import best_named
from core.graph.model import Entity


def best(type: str, *names: str) -> str:
    """Names, the most mentioned first."""
    return best_named([Entity(f"e{at}", "b", name, type, (), 9 - at) for at, name in enumerate(names)]).name


@pytest.mark.parametrize(
    ("type", "names", "expected"),
    [
        ("PERSON", ("Jeff", "Jeff Raikes"), "Jeff Raikes"),
        ("PERSON", ("Jelinek", "Craig Jelinek", "W. Craig Jelinek", "Age W. Craig Jelinek"), "Craig Jelinek"),
        ("PERSON", ("J. Smith", "John Smith"), "John Smith"),
        ("PERSON", ("马斯克", "埃隆·马斯克"), "埃隆·马斯克"),
        (
            "ORGANIZATION",
            ("Costco", "Costco Wholesale Corporation", "Costco Wholesale"),
            "Costco Wholesale Corporation",
        ),
        ("ORGANIZATION", ("SEC", "Securities and Exchange Commission"), "Securities and Exchange Commission"),
        ("ORGANIZATION", ("北大", "北京大学"), "北京大学"),
        ("ORGANIZATION", ("MARLOW SOUND TRUST", "Marlow Sound Trust"), "Marlow Sound Trust"),
        ("TECHNOLOGY", ("Docling", "docling"), "Docling"),
        ("CONCEPT", ("tide gauge", "tide-gauges"), "tide gauge"),
        ("CONCEPT", ("潮汐模型", "潮汐模式"), "潮汐模型"),
    ],
)
def test_a_full_name_is_kept(type: str, names: tuple[str, ...], expected: str) -> None:
    assert best(type, *names) == expected
