"""The plan: small talk and errands stay out of the documents, follow-ups are made to stand alone."""

import pytest

from core.agents.nodes.plan.plan import Plan, plan, route_of
from core.agents.nodes.runtime import MAX_QUERY
from core.agents.state import Route
from core.platform.errors import BudgetError
from core.runs.model import Turn
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, World, intents, state_of

ASKED = (Turn("user", "What is KelpNet?"), Turn("assistant", "KelpNet is a neural network [1]."))


@pytest.mark.parametrize(
    ("question", "route"),
    [
        ("hi", Route.DIRECT),
        ("你好", Route.DIRECT),
        ("thanks a lot!", Route.DIRECT),
        ("who made you", Route.DIRECT),
        ("My name is Anna.", Route.DIRECT),
        ("please set an alarm for half past six", Route.OUT_OF_SCOPE),
        ("今天天气怎么样？", Route.OUT_OF_SCOPE),
        ("What is the main contribution of this paper?", Route.HIERARCHICAL),
        ("这篇论文的主要内容是什么？", Route.HIERARCHICAL),
        ("What are the neighbours of KelpNet?", Route.GRAPH),
        ("Who is the father of the director of Jaws?", Route.GRAPH),
        ("How often is a buoy calibrated?", Route.CHUNKS),
        ("芸香属原产于哪些地方？", Route.CHUNKS),
        ("你好，校准层是什么？", Route.CHUNKS),
    ],
)
def test_route_of_a_question_on_its_own(question: str, route: Route) -> None:
    assert route_of(question, intents().of(question)) == route.value


def test_the_rule_resolves_a_follow_up_by_the_graphs_names(call: Call) -> None:
    update = call(plan, state_of("and its neighbours?", history=ASKED))
    assert update["resolved_question"] == "KelpNet's neighbours?"
    assert update["search"].route == Route.GRAPH.value
    assert ("resolved", "KelpNet's neighbours?") in update["note"].details


def test_a_chinese_follow_up_is_resolved(call: Call, world: World) -> None:
    world.graph.add("校准层")
    history = (Turn("user", "校准层是什么？"), Turn("assistant", "一组参数 [1]。"))
    update = call(plan, state_of("它有什么用？", history=history))
    assert update["resolved_question"] == "校准层有什么用？"


def test_a_clear_question_asks_no_model(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    update = call(plan, state_of("How often is a buoy calibrated?", history=ASKED))
    assert update["search"].route == Route.CHUNKS.value
    assert update["resolved_question"] == "How often is a buoy calibrated?"


def test_a_model_resolves_a_follow_up_and_writes_the_query(call: Call, world: World) -> None:
    world.llm = FakeLlm(
        plan=Plan(
            route=Route.GRAPH, question="What lies around KelpNet?", query="KelpNet " * 500, reason="It asks around."
        )
    )
    update = call(plan, state_of("and around it?", history=ASKED))
    assert update["note"].outcome == Route.GRAPH
    assert update["resolved_question"] == "What lies around KelpNet?"
    assert len(update["search"].query) <= MAX_QUERY
    assert update["note"].reason == "It asks around."


def test_without_budget_the_rule_plans(call: Call, world: World) -> None:
    world.llm = FakeLlm(plan=BudgetError("llm.budget_calls"))
    update = call(plan, state_of("and its neighbours?", history=ASKED))
    assert update["resolved_question"] == "KelpNet's neighbours?"
    assert world.meter.degradations == [("plan", "llm.budget_calls")]


def test_a_named_document_narrows_the_search(call: Call, world: World) -> None:
    other = world.library.add("minutes_2025.md", "The group met.", title="Minutes")
    update = call(plan, state_of("What does the Station Handbook say about buoys?"))
    assert update["search"].documents == ("d1",)
    assert call(plan, state_of("Who is in minutes_2025.md?"))["search"].documents == (other,)
    assert call(plan, state_of("What does the document say about buoys?"))["search"].documents == ()
