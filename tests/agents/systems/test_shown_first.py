"""What the rules know is on the page before a model is asked, in every workflow, and once."""

import pytest

from core.agents.workflows.registry import workflows
from core.runs.events import AnswerReady, Event, ModelAsked, RulesAnswered
from core.runs.execution.budget import Budget
from core.runs.model import AnswerOutcome
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import model_at, sensible
from tests.fakes import RuleLlm, memory_of
from tests.loopback.openai_server import OpenAiServer

ANSWERED, UNSURE = "Who developed KelpNet?", "Where was the network KelpNet sold?"
UNKNOWN = "What is the capital of France?"


def asked(walked: SystemWorld, workflow: str, question: str, *history: str) -> list[Event]:
    walked.budget, walked.rules = Budget(), RuleLlm()
    with OpenAiServer(sensible) as server, model_at(server) as model:
        run(workflow, walked, question, history, llm=model)
    return walked.events


@pytest.mark.parametrize("workflow", workflows())
@pytest.mark.parametrize("question", [ANSWERED, UNSURE])
def test_it_comes_before_the_first_call(walked: SystemWorld, workflow: str, question: str) -> None:
    events = asked(walked, workflow, question)
    (told,) = [event.answer for event in events if isinstance(event, RulesAnswered)]
    kinds = [type(event) for event in events]
    assert kinds.index(RulesAnswered) < kinds.index(ModelAsked)
    if question == ANSWERED:
        assert "Lena Vogt" in told.text
        assert told.stands_in
    else:
        assert told.passages[0].text.startswith("KelpNet is a neural network")


def test_what_is_found_nowhere_is_not_told(walked: SystemWorld) -> None:
    assert not [event for event in asked(walked, "memory_loop", UNKNOWN) if isinstance(event, RulesAnswered)]


def test_the_statement_that_comes_closest_is_shown_before_the_model_answers(walked: SystemWorld) -> None:
    walked.memories.save(memory_of("My old network in Bergen was good"))
    question = "Where was my old network KelpNet sold?"
    (told,) = [event.answer for event in asked(walked, "adaptive", question) if isinstance(event, RulesAnswered)]
    assert told.text.startswith("The closest thing you told me")


def test_what_no_answer_may_say_is_not_told_unchecked(walked: SystemWorld) -> None:
    walked.sensitive_terms = ("Lena Vogt",)
    assert not [event for event in asked(walked, "guarded", ANSWERED) if isinstance(event, RulesAnswered)]


def test_a_greeting_is_not_searched_for(walked: SystemWorld) -> None:
    assert not [event for event in asked(walked, "adaptive", "hello") if isinstance(event, RulesAnswered)]


def test_a_follow_up_waits_until_it_is_understood(walked: SystemWorld) -> None:
    events = asked(walked, "memory_loop", "Who developed it?", "What is KelpNet?", "A neural network [1].")
    told = [event.answer.text for event in events if isinstance(event, RulesAnswered)]
    assert all("Lena Vogt" in text for text in told)


def test_without_a_model_nothing_is_told_twice(walked: SystemWorld) -> None:
    view = run("adaptive", walked, ANSWERED)
    assert (view.outcome, view.by_rules) == (AnswerOutcome.ANSWERED, None)
    (ready,) = walked.of(AnswerReady)
    assert isinstance(ready, AnswerReady)
    assert ready.stands_in
    start, end = ready.stands_in.marked[-1]
    assert "Lena Vogt" in ready.stands_in.text[start:end]
