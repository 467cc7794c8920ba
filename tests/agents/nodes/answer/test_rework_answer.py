"""The last answer in another form claims no more than it did."""

import pytest

from core.agents.nodes.answer.rework_answer import rework_answer
from core.platform.texts import text
from core.runs.model import AnswerOutcome, Turn
from tests.agents.nodes.conftest import Call
from tests.fakes import state_of

SEARCHED = {"scope": "“Sample” (documents: 1)", "asked": "What?"}


def listed(key: str, language: str) -> str:
    return f"{text(key, language, **SEARCHED)}\n\n- “The first place.” [1]\n- “The second place.” [2]"


@pytest.mark.parametrize("language", ["en", "zh-hans", "zh-hant"])
@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        ("answer.closest", AnswerOutcome.CLOSEST),
        ("answer.not_found.searched", AnswerOutcome.NOT_FOUND),
        ("", AnswerOutcome.ANSWERED),
    ],
)
def test_what_was_no_sure_answer_becomes_none_in_one_sentence(
    call: Call, language: str, key: str, outcome: AnswerOutcome
) -> None:
    last = text(key, language, **SEARCHED) if "searched" in key else "The buoy is red. It is old."
    if outcome is AnswerOutcome.CLOSEST:
        last = listed(key, language)
    history = (Turn("user", "What?"), Turn("assistant", last, outcome))
    draft = call(rework_answer, state_of("Summarize that in one sentence.", language=language, history=history))[
        "draft"
    ]
    assert draft.outcome == outcome
    assert ("The first place." in draft.answer) is (outcome is AnswerOutcome.CLOSEST)
    assert "second place" not in draft.answer
    assert "old" not in draft.answer
