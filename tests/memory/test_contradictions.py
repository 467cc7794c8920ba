"""Which memory says otherwise than an older one."""

from dataclasses import replace

import pytest

from core.memory.contradictions import contradicts
from core.memory.model import Memory, MemoryKind, MemoryStatus
from tests.fakes.samples import NOW

MADE = Memory("m", "", MemoryKind.FACT, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW)


def says(text: str, kind: MemoryKind = MemoryKind.FACT) -> Memory:
    return replace(MADE, id=text, text=text, kind=kind)


@pytest.mark.parametrize(
    ("newer", "older", "kind", "expected"),
    [
        ("I prefer metric units", "I prefer imperial units", MemoryKind.PREFERENCE, True),
        ("Our buoys are calibrated every 60 days", "Our buoys are calibrated every 90 days", MemoryKind.FACT, True),
        ("I work on cables", "I work on buoys", MemoryKind.FACT, False),
        ("I prefer short answers", "I prefer metric units and short answers", MemoryKind.PREFERENCE, False),
        ("I prefer metric units", "I prefer metric units", MemoryKind.PREFERENCE, False),
        ("The sea is cold", "Buoys are calibrated every 90 days", MemoryKind.FACT, False),
    ],
)
def test_the_same_sentence_with_another_value_says_otherwise(
    newer: str, older: str, kind: MemoryKind, expected: bool
) -> None:
    assert contradicts(says(newer, kind), says(older, kind)) is expected


def test_a_memory_of_another_kind_or_base_is_no_contradiction() -> None:
    older, newer = says("calibrated every 90 days"), says("calibrated every 60 days")
    assert contradicts(newer, older)
    assert not contradicts(replace(newer, kind=MemoryKind.CONCLUSION), older)
    assert not contradicts(replace(newer, base_id="b"), older)
