"""Asking for decisions: the budget's end is no failure, and a note can always be said."""

from core.errors import BudgetError
from core.nodes.answer.generate import ANSWER, AnswerRequest
from core.nodes.runtime import ask_model, noted, stream_text
from core.nodes.search.rewrite_query import REWRITE, Query, RewriteRequest
from tests.fakes import FakeLlm, Said, World


def test_a_model_decides_while_there_is_budget(world: World) -> None:
    world.llm = FakeLlm(rewrite_query=Query(query="other"))
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


def test_empty_details_are_left_out() -> None:
    assert noted("x", "A model's sentence.", count=0, query="", kept=None).details == (("count", "0"),)


def test_a_key_whose_placeholders_nothing_fills_is_not_shown() -> None:
    assert noted("x", "run.reason.memory_found").reason == ""
    assert noted("x", "run.reason.memory_found", count=1, candidates=2).reason == "run.reason.memory_found"
    assert noted("x", "{odd} words of a model").reason == "{odd} words of a model"
