"""Quoted answers made shorter or longer: markers stay with their words, and nothing is said twice."""

import pytest

from core.agents.nodes.runtime import formed, shortened, with_surroundings
from core.platform.texts import text
from core.runs.model import Length
from core.search.model import Passage
from tests.fakes.samples import chunk_of

TWO = "They say:\n\n- “One.” [1]\n- “Two.” [2]"
PARTS = "### Who?\n\n“Ada.” [1]\n\n### When?\n\n“1911.” [2]"


RISKS = "- “Ice on the mast.” [1]\n- “Loss of the mooring.” [1]\n- “A flat battery.” [2]"
STEPS = "- “1. Close the valve.” [1]\n- “2. Drain the tank.” [1]\n- “3. Open the hatch only if the lamp is green.” [2]"
SUMMARY = "- “The report covers 2024.” [1]\n- “Sales rose.” [2]\n- “Costs fell unless fuel is counted.” [3]"
WAREHOUSES = "- “青屿仓库。” [1]\n- “滨海仓库。” [1]\n- “北岸仓库。” [2]\n- “南港仓库。” [3]"
CONDITION = "“解除预警须连续三次采样合格，并由实验室复核。” [1]"


@pytest.mark.parametrize(
    ("lead_in", "told", "language"),
    [
        ("list", RISKS, "en"),
        ("fact", STEPS, "en"),
        ("overview", SUMMARY, "en"),
        ("list", WAREHOUSES, "zh-hans"),
        ("overview", WAREHOUSES, "zh-hant"),
    ],
)
def test_a_shorter_answer_leaves_out_no_item_step_or_part(lead_in: str, told: str, language: str) -> None:
    assert shortened(f"{text(f'answer.frame.{lead_in}', language)}\n\n{told}", language) == told


def test_a_shorter_answer_keeps_its_condition() -> None:
    assert shortened(f"{text('answer.frame.fact', 'zh-hans')} {CONDITION}", "zh-hans") == CONDITION


@pytest.mark.parametrize(
    "answer", ["**90 days**: “Every 90 days.” [1][2]\n\n- “Or after a storm.” [3]", "Hello!", TWO, PARTS, ""]
)
def test_an_answer_without_a_lead_in_is_not_shortened(answer: str) -> None:
    assert shortened(answer, "en") == answer


def test_more_detail_is_the_passage_around_each_quote() -> None:
    texts = ("1 Marram\n\nIt is a grass. One. It grows.", "Two.", "| a | b |")
    passages = tuple(Passage(chunk_of("d", at, told, ("1 Marram",)), "a.pdf", 1.0) for at, told in enumerate(texts))
    longer = with_surroundings(f"{TWO} [3][9]", passages, "en")
    assert longer == f"{TWO} [3][9]\n\nWhat stands around it:\n\n- “It is a grass. One. It grows.” [1]"


def test_a_text_without_passages_stays_as_it_is() -> None:
    assert formed("Hello!", Length.LONGER, object()) == "Hello!"


def test_that_an_answer_is_only_probable_is_said_in_a_short_one_too() -> None:
    answer = f"{text('answer.frame.probably')} “Each buoy is lifted every 90 days.” [1]"
    assert shortened(answer, "en") == answer
