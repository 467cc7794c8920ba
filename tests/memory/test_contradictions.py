"""Which memory says otherwise than an older one."""

from dataclasses import replace

import pytest

from core.memory.contradictions import StatementMeanings, contradicts
from core.memory.model import Memory, MemoryKind, MemoryStatus
from tests.fakes.samples import NOW

MADE = Memory("m", "", MemoryKind.FACT, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW)


MEANINGS = StatementMeanings()


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
        ("I work on buoys now", "I work on cables", MemoryKind.FACT, False),
        ("I work as a nurse now", "I work at Bosch", MemoryKind.FACT, False),
        ("I live in Rome now", "I live in Rome", MemoryKind.FACT, False),
        ("I am at home now", "I am allergic to nuts", MemoryKind.FACT, False),
        ("I have a cold now", "I have a daughter called Mia", MemoryKind.FACT, False),
        ("My brother works in Rome now", "My brother has two kids", MemoryKind.FACT, False),
        ("I moved to Chapter 3", "I live in Graz", MemoryKind.FACT, False),
        ("We moved to Postgres", "We live in Porto", MemoryKind.FACT, False),
        ("我搬到三楼办公了", "我住在台北", MemoryKind.FACT, False),
        ("我现在有一只猫", "我有一只狗", MemoryKind.FACT, False),
        ("I have moved to Nantes", "We moved to Lyon in September 2023", MemoryKind.FACT, False),
        ("I moved my desk to the window", "I live in Graz", MemoryKind.FACT, False),
        ("I now speak Italian too", "I now speak German", MemoryKind.FACT, False),
        ("I now have a dog called Rex", "I have a cat called Pixel", MemoryKind.FACT, False),
        ("My sister lives in Lyon now", "My brother lives in Ghent", MemoryKind.FACT, False),
        ("我女儿现在喜欢百合", "我妻子喜欢百合", MemoryKind.FACT, False),
    ],
)
def test_the_same_sentence_with_another_value_says_otherwise(
    newer: str, older: str, kind: MemoryKind, expected: bool
) -> None:
    assert contradicts(says(newer, kind), says(older, kind), MEANINGS) is expected


def test_a_memory_of_another_kind_or_base_is_no_contradiction() -> None:
    older, newer = says("calibrated every 90 days"), says("calibrated every 60 days")
    assert contradicts(newer, older, MEANINGS)
    assert not contradicts(replace(newer, kind=MemoryKind.CONCLUSION), older, MEANINGS)
    assert not contradicts(replace(newer, base_id="b"), older, MEANINGS)
