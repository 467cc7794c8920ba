"""A follow-up that may mean either of two is asked back in every workflow; a model resolves it itself."""

import pytest

from core.agents.workflows.registry import workflows
from core.runs.model import AnswerOutcome
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import engine

PAIR = ("Who developed KelpNet?", "It was developed by Lena Vogt and Rafael Marchetti [1].")
CHOICES = ("Where does Lena Vogt work?", "Where does Rafael Marchetti work?")
ZH_PAIR = ("KelpNet是谁开发的？", "由林雨晴和周启明开发 [1]。")


@pytest.fixture
def people(walked: SystemWorld) -> SystemWorld:
    for name in ("Rafael Marchetti", "林雨晴", "周启明"):
        walked.graph.add(name, "PERSON")
    return walked


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(
    ("question", "history", "choices", "words"),
    [
        ("Where does she work?", PAIR, CHOICES, "two ways"),
        ("她在哪里工作？", ZH_PAIR, ("林雨晴在哪里工作？", "周启明在哪里工作？"), "两种理解"),
    ],
)
def test_two_readings_are_offered(
    people: SystemWorld, workflow: str, question: str, history: tuple[str, ...], choices: tuple[str, ...], words: str
) -> None:
    view = run(workflow, people, question, history)
    assert view.outcome == AnswerOutcome.ASKED_BACK.value
    assert view.choices == choices
    assert words in view.answer
    assert all(choice in view.answer for choice in choices)
    assert not view.citations
    assert people.memories.kept == {}


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(
    ("question", "history"),
    [
        ("Where does she work?", ("Who developed KelpNet?", "It was developed by Lena Vogt [1].")),
        ("Where does Lena Vogt work?", PAIR),
        ("What is KelpNet?", PAIR),
        ("Who developed it?", ("What is KelpNet?", "A network [1].")),
    ],
)
def test_what_is_certain_is_not_asked_back(
    people: SystemWorld, workflow: str, question: str, history: tuple[str, ...]
) -> None:
    view = run(workflow, people, question, history)
    assert view.outcome != AnswerOutcome.ASKED_BACK.value
    assert view.choices == ()


def test_a_model_is_not_asked_back_for(people: SystemWorld) -> None:
    with engine("model") as llm:
        assert run("adaptive", people, "Where does she work?", PAIR, llm).choices == ()
