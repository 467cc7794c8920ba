"""The wiring of every workflow: its picture as it stands in the README, its ends, its limits."""

import pytest

from core.agents.state import Deps, State
from core.agents.workflows.drawing import END, START, draw
from core.agents.workflows.registry import workflow_named, workflows
from core.agents.workflows.workflow import Workflow, compile_workflow, recursion_limit
from core.platform.texts import known
from tests.agents.workflows.mermaid import mermaid

ADAPTIVE = """\
flowchart TD
  start((start)) --> guard
  guard -->|passed| detect_language
  guard -->|blocked| telemetry
  detect_language --> recall_memory
  telemetry --> finish((end))
  recall_memory --> plan
  plan -->|web| web_search
  plan -->|chunks / hierarchical| rewrite_query
  plan -->|graph| tell_graph
  plan -->|form| tool_executor
  plan -->|direct / out_of_scope| direct_answer
  web_search -->|documents| rewrite_query
  web_search -->|found| generate
  web_search -->|nothing| not_found
  rewrite_query --> retrieve
  tell_graph -->|search| rewrite_query
  tell_graph -->|told| evaluate_compliance
  tool_executor --> offer_forms
  direct_answer --> evaluate_compliance
  generate --> check_answer
  not_found --> telemetry
  retrieve --> grade_evidence
  evaluate_compliance -->|compliant| consolidate_memory
  evaluate_compliance -->|fix| fix_generation
  evaluate_compliance -->|safe_reply / nothing| fallback_safe
  offer_forms --> telemetry
  check_answer -.->|web| web_search
  check_answer -.->|retry| rewrite_query
  check_answer -->|nothing| not_found
  check_answer -->|fine / give_up| evaluate_compliance
  grade_evidence -.->|web| web_search
  grade_evidence -.->|retry| rewrite_query
  grade_evidence -->|found| generate
  grade_evidence -->|nothing| not_found
  consolidate_memory --> telemetry
  fix_generation -.-> evaluate_compliance
  fallback_safe --> telemetry
"""

NODES = {
    "memory_loop": "retrieve_memory route_query rewrite_query retrieve web_search generate_response direct_response "
    "grade_relevance consolidate_memory",
    "graph_react": "model tools",
    "guarded": "router rewrite retrieve evaluate_relevance rewrite_relevance knowledge_fallback generate "
    "evaluate_compliance fix_generation fallback_safe direct_answer",
}
"""Their names are a contract: traces show them, and so do the pictures."""


def test_adaptive_is_wired_as_drawn() -> None:
    assert mermaid(draw(workflow_named("adaptive"))) == ADAPTIVE


@pytest.mark.parametrize("name", list(NODES))
def test_a_workflow_has_exactly_the_nodes_agreed_on(name: str) -> None:
    inner = [node.name for node in draw(workflow_named(name)).nodes if node.name not in {START, END}]
    assert sorted(inner) == sorted(NODES[name].split())


@pytest.mark.parametrize("name", list(workflows()))
def test_every_workflow_has_its_texts_and_its_nodes_have_names(name: str) -> None:
    workflow = workflow_named(name)
    assert all(map(known, (workflow.title, workflow.summary, workflow.welcome)))
    drawing = draw(workflow)
    inner = [node.name for node in drawing.nodes if node.name not in {START, END}]
    assert all(known(f"run.node.{node}") for node in inner)
    assert all(known(f"run.outcome.{outcome}") for edge in drawing.edges for outcome in edge.outcomes)


@pytest.mark.parametrize("name", list(workflows()))
def test_arrows_lead_down_except_for_loops(name: str) -> None:
    drawing = draw(workflow_named(name))
    levels = {node.name: node.level for node in drawing.nodes}
    assert all(edge.back == (levels[edge.target] <= levels[edge.source]) for edge in drawing.edges)
    assert len({(node.level, node.column) for node in drawing.nodes}) == len(drawing.nodes)


def test_the_recursion_limit_lets_every_correction_happen() -> None:
    compiled = compile_workflow(workflow_named("adaptive"))
    assert recursion_limit(compiled, corrections=2) > len(["before"] * 4) + 5 * 3 + 3


def test_a_node_without_a_way_on_is_a_mistake_in_the_wiring() -> None:
    def wire(graph: object) -> None:
        def stuck(state: State) -> dict[str, str]:
            return {"answer": state.question}

        graph.add_node("first", stuck)  # type: ignore[attr-defined]
        graph.set_entry_point("first")  # type: ignore[attr-defined]

    broken = Workflow("broken", 9, wire, (), "t", "s", "w")
    with pytest.raises(ValueError, match="first"):
        compile_workflow(broken)


def test_nodes_are_given_the_runs_context() -> None:
    assert compile_workflow(workflow_named("adaptive")).context_schema is Deps
