"""Asking for decisions: the budget's end is no failure, and a note can always be said."""

from dataclasses import replace

from core.agents.nodes.answer.generate import ANSWER, AnswerRequest
from core.agents.nodes.runtime import ask_model, asked_once, noted, stream_text
from core.agents.nodes.search.rewrite_query import REWRITE, RewriteRequest, SearchTerms
from core.platform.errors import BudgetError
from core.runs.model import Length
from tests.fakes import FakeLlm, Said, World


def test_a_model_decides_while_there_is_budget(world: World) -> None:
    world.llm = FakeLlm(rewrite_query=SearchTerms(query="other"))
    assert ask_model(world.deps(), REWRITE, RewriteRequest("Why?")).query == "other"


def test_the_rule_decides_when_the_budget_is_used_up(world: World) -> None:
    world.llm = FakeLlm(rewrite_query=BudgetError("llm.budget_calls"))
    assert ask_model(world.deps(), REWRITE, RewriteRequest("Why so?")).query == "Why so?"
    assert world.meter.degradations == [("rewrite_query", "llm.budget_calls")]


def test_the_rule_writes_when_the_budget_is_used_up(world: World) -> None:
    passages = tuple(world.library.passages.get(["d1-1"]))
    world.llm = FakeLlm(generate=Said(BudgetError("llm.budget_calls")))
    request = AnswerRequest("Who developed KelpNet?", "en", passages)
    assert "Lena Vogt" in "".join(stream_text(world.deps(), ANSWER, request))


def test_the_length_that_is_wished_stands_below_the_question_of_a_model(world: World) -> None:
    world.llm = FakeLlm(generate=Said("KelpNet is a network."))
    deps = replace(world.deps(), length=Length.SHORTER)
    assert (
        "".join(stream_text(deps, ANSWER, AnswerRequest("What is KelpNet?", "zh-hans", ()))) == "KelpNet is a network."
    )
    ((_, asked),) = world.llm.requests
    assert isinstance(asked, AnswerRequest)
    assert asked.question.startswith("What is KelpNet?\n\n(Form of the answer: shorter")


def test_without_a_model_the_length_is_form_alone(world: World) -> None:
    passages = tuple(world.library.passages.get(["d1-1", "d1-2"]))
    request = AnswerRequest("Who developed KelpNet?", "en", passages)
    usual = "".join(stream_text(world.deps(), ANSWER, request))
    longer = "".join(stream_text(replace(world.deps(), length=Length.LONGER), ANSWER, request))
    assert longer.startswith(usual)
    assert "estimates the share of Karenia. It was developed by Lena Vogt.” [1]" in longer
    shorter = "".join(stream_text(replace(world.deps(), length=Length.SHORTER), ANSWER, request))
    assert shorter in usual


def test_empty_details_are_left_out() -> None:
    assert noted("x", "A model's sentence.", count=0, query="", kept=None).details == (("count", "0"),)


def test_a_key_whose_placeholders_nothing_fills_is_not_shown() -> None:
    assert noted("x", "run.reason.memory_found").reason == ""
    assert noted("x", "run.reason.memory_found", count=1, candidates=2).reason == "run.reason.memory_found"
    assert noted("x", "{odd} words of a model").reason == "{odd} words of a model"


def test_a_store_is_asked_once_in_a_run_for_the_same_thing(world: World) -> None:
    asked: list[str] = []

    def ask(about: str) -> int:
        asked.append(about)
        return len(asked)

    deps = world.deps()
    assert [asked_once(deps, ask, "kelp"), asked_once(deps, ask, "tide"), asked_once(deps, ask, "kelp")] == [1, 2, 1]
    assert asked_once(world.deps(), ask, "kelp") == 3
