"""Two questions in one message: without a model, every workflow answers each or says that it is not answered."""

import pytest

from core.agents.workflows.registry import workflows
from core.runs.model import AnswerOutcome, QuestionPart
from tests.agents.systems.conftest import SystemWorld, run


@pytest.mark.parametrize("workflow", list(workflows()))
def test_each_part_is_answered(walked: SystemWorld, workflow: str) -> None:
    view = run(workflow, walked, "What is KelpNet and who developed it?")
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.parts == (QuestionPart("What is KelpNet?", True), QuestionPart("Who developed KelpNet?", True))
    assert "### What is KelpNet?" in view.answer
    assert "neural network" in view.answer
    assert "Lena Vogt" in view.answer.partition("### Who developed KelpNet?")[2]
    assert view.unsupported == ()
    assert all(f"[{citation.number}]" in view.answer for citation in view.citations)


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(
    ("question", "parts", "words"),
    [
        (
            "Who developed KelpNet and how many pages does Zanzibar have?",
            (QuestionPart("Who developed KelpNet?", True), QuestionPart("How many pages does Zanzibar have?", False)),
            "This search found no sure answer to this.",
        ),
        (
            "校准层是什么，桑给巴尔总统是谁？",
            (QuestionPart("校准层是什么？", True), QuestionPart("桑给巴尔总统是谁？", False)),
            "这次检索没有找到这一部分的确定答案。",
        ),
    ],
)
def test_a_part_without_an_answer_is_named(
    walked: SystemWorld, workflow: str, question: str, parts: tuple[QuestionPart, QuestionPart], words: str
) -> None:
    view = run(workflow, walked, question)
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.parts == parts
    assert view.answer.endswith(f"### {parts[1].question}\n\n{words}")
    assert view.unsupported == ()


@pytest.mark.parametrize("workflow", list(workflows()))
def test_where_no_part_is_answered_the_question_is_not(walked: SystemWorld, workflow: str) -> None:
    view = run(workflow, walked, "When was Zanzibar founded and who leads it?")
    assert view.outcome in {AnswerOutcome.NOT_FOUND.value, AnswerOutcome.CLOSEST.value}
    assert view.parts == ()
