"""A statement is of a slot only where it certainly tells of the person's own home, employer or trade."""

import pytest

from core.memory.model import HeldSlot, Slot
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.understanding.slots import StatementSlots
from tests.fakes.models import slots


@pytest.mark.parametrize(
    ("statement", "slot", "name"),
    [
        ("I live in Stockholm", Slot.HOME, "stockholm"),
        ("I just moved to Stockholm last month", Slot.HOME, "stockholm"),
        ("我搬到沈阳了", Slot.HOME, "沈阳"),
        ("I joined Ericsson as an engineer last month", Slot.EMPLOYER, "ericsson"),
        ("我跳槽到联想了", Slot.EMPLOYER, "联想"),
        ("I became a carpenter", Slot.TRADE, "carpent"),
    ],
)
def test_a_statement_tells_what_there_is_one_of(statement: str, slot: Slot, name: str) -> None:
    held = slots().of(statement)
    assert held is not None
    assert held.slot is slot
    assert name in held.names


@pytest.mark.parametrize(
    "statement",
    [
        "My friend moved to Madrid",
        "I'm in Lisbon for the week",
        "finally moved to Linux",
        "I have an interview with Deloitte",
        "I moved the sofa to the window",
        "I would like to live in Madrid",
        "我朋友搬到大连了",
        "我想去腾讯工作",
    ],
)
def test_others_visits_plans_and_tools_are_of_no_slot(statement: str) -> None:
    assert slots().of(statement) is None


def test_without_meanings_nothing_is_of_a_slot() -> None:
    assert StatementSlots(HashedEmbedder()).of("I live in Trondheim") is None


def test_words_of_the_examples_are_no_names() -> None:
    assert slots().of("I live in Oslo now") == HeldSlot(Slot.HOME, frozenset({"oslo"}), "I live here: ")
