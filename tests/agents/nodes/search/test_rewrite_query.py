"""The first query is the question; corrections use other queries and are counted."""

import pytest

from core.agents.nodes.search.rewrite_query import (
    REWRITE,
    RewriteRequest,
    SearchTerms,
    query_builder,
    rewrite_for_route,
    rewrite_query,
)
from core.agents.state import Route
from core.platform.errors import BudgetError
from core.runs.model import Turn
from tests.agents.nodes.conftest import Call, Node
from tests.fakes import FakeLlm, World, state_of


def test_the_first_query_is_the_question_without_polite_words(call: Call) -> None:
    update = call(rewrite_query, state_of("Could you please tell me who leads the station?"))
    assert update["search"].query == "who leads the station?"
    assert "corrections" not in update


@pytest.mark.parametrize("node", [rewrite_for_route, query_builder])
def test_the_first_query_is_the_models_where_the_specification_says_so(call: Call, world: World, node: Node) -> None:
    world.llm = FakeLlm(rewrite_query=SearchTerms(query="  station director "))
    history = (Turn("user", "What is KelpNet?"), Turn("assistant", "A network."))
    state = state_of("Who leads the station?", route=Route.CHUNKS, history=history)
    update = call(node, state)
    assert (update["search"].query, update["note"].outcome) == ("station director", "first")
    ((_, request),) = world.llm.requests
    assert isinstance(request, RewriteRequest)
    assert (request.question, request.tried, request.history) == ("Who leads the station?", (), history)
    world.llm = FakeLlm(rewrite_query=BudgetError("llm.budget_calls"))
    assert call(node, state)["search"].query == "Who leads the station?"


def test_the_planners_query_is_used_first(call: Call) -> None:
    update = call(rewrite_query, state_of("and it?", query="KelpNet layers"))
    assert update["search"].query == "KelpNet layers"
    assert update["note"].outcome == "first"


def test_an_overview_searches_where_documents_speak_of_themselves(call: Call) -> None:
    english = call(rewrite_query, state_of("What is this paper about?"))
    chinese = call(rewrite_query, state_of("这篇论文的主要内容是什么？", language="zh-hans"))
    assert "contribution" in english["search"].query
    assert "适用范围" in chinese["search"].query


def test_every_correction_tries_other_words_and_is_counted(call: Call) -> None:
    question = "Who leads the KelpNet project?"
    tried: tuple[str, ...] = ()
    for correction in range(3):
        state = state_of(question, tried_queries=tried, query=tried[-1] if tried else "", corrections=correction)
        query = call(rewrite_query, state)["search"].query
        assert query not in tried
        tried = (*tried, query)
    assert "Kelp Network" in tried[1]
    assert call(rewrite_query, state_of(question, tried_queries=tried, corrections=1))["search"].corrections == 2


def test_the_rule_knows_no_end_of_tries() -> None:
    query = REWRITE.rule(RewriteRequest("buoys", tried=("buoys",) * 5)).query
    assert query


def test_a_model_sees_the_rejected_answer_and_writes_the_correction(call: Call, world: World) -> None:
    world.llm = FakeLlm(rewrite_query=SearchTerms(query="  bloom warning  ", reason="Other words."))
    state = state_of("What warns?", tried_queries=("warns",), answer="Nothing.", verdict_reason="Too short.")
    update = call(rewrite_query, state)
    assert update["search"].query == "bloom warning"
    assert update["search"].corrections == 1
    ((_, request),) = world.llm.requests
    assert isinstance(request, RewriteRequest)
    assert (request.rejected, request.reason, request.tried) == ("Nothing.", "Too short.", ("warns",))


def test_without_budget_the_rule_corrects(call: Call, world: World) -> None:
    world.llm = FakeLlm(rewrite_query=BudgetError("llm.budget_calls"))
    update = call(rewrite_query, state_of("Who leads KelpNet?", tried_queries=("Who leads KelpNet?",)))
    assert update["search"].query != "Who leads KelpNet?"
    assert world.meter.degradations
