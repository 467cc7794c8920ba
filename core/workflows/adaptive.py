"""The default: plans how to search, grades what it finds, answers, checks itself, and tries again where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.nodes.check_answer import Check, after_check, check_answer
from core.nodes.consolidate_memory import consolidate_memory
from core.nodes.detect_language import detect_language
from core.nodes.direct_answer import direct_answer
from core.nodes.generate import generate
from core.nodes.grade_evidence import Relevance, after_grade, grade_evidence
from core.nodes.guard import Safety, after_guard, guard
from core.nodes.not_found import not_found
from core.nodes.plan import Route, after_plan, plan
from core.nodes.recall_memory import recall_memory
from core.nodes.retrieve import retrieve
from core.nodes.rewrite_query import rewrite_query
from core.nodes.telemetry import telemetry
from core.workflows.workflow import Workflow

if TYPE_CHECKING:
    from core.workflows.workflow import Graph

NODES = (
    guard,
    detect_language,
    recall_memory,
    plan,
    rewrite_query,
    retrieve,
    grade_evidence,
    generate,
    check_answer,
    not_found,
    direct_answer,
    consolidate_memory,
    telemetry,
)


def wire(graph: Graph) -> None:
    for node in NODES:
        graph.add_node(node.__name__, node)
    graph.set_entry_point("guard")
    graph.add_conditional_edges("guard", after_guard, {Safety.PASSED: "detect_language", Safety.BLOCKED: "telemetry"})
    graph.add_edge("detect_language", "recall_memory")
    graph.add_edge("recall_memory", "plan")
    graph.add_conditional_edges(
        "plan",
        after_plan,
        {
            Route.CHUNKS: "rewrite_query",
            Route.HIERARCHICAL: "rewrite_query",
            Route.GRAPH: "rewrite_query",
            Route.DIRECT: "direct_answer",
            Route.OUT_OF_SCOPE: "direct_answer",
        },
    )
    graph.add_edge("rewrite_query", "retrieve")
    graph.add_edge("retrieve", "grade_evidence")
    graph.add_conditional_edges(
        "grade_evidence",
        after_grade,
        {Relevance.FOUND: "generate", Relevance.RETRY: "rewrite_query", Relevance.NOTHING: "not_found"},
    )
    graph.add_edge("generate", "check_answer")
    graph.add_conditional_edges(
        "check_answer",
        after_check,
        {
            Check.FINE: "consolidate_memory",
            Check.RETRY: "rewrite_query",
            Check.NOTHING: "not_found",
            Check.GIVE_UP: "telemetry",
        },
    )
    graph.add_edge("direct_answer", "consolidate_memory")
    graph.add_edge("consolidate_memory", "telemetry")
    graph.add_edge("not_found", "telemetry")


WORKFLOW = Workflow(
    name="adaptive",
    order=1,
    wire=wire,
    last=("telemetry",),
    title="workflow.adaptive.title",
    summary="workflow.adaptive.summary",
    welcome="workflow.adaptive.welcome",
)
