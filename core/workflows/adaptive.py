"""The default: plans how to search, grades what it finds, answers, checks itself, and tries again where that fails."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.events import AnswerReady
from core.nodes.check_answer import Check, check_answer
from core.nodes.consolidate_memory import consolidate_memory
from core.nodes.detect_language import detect_language
from core.nodes.direct_answer import direct_answer
from core.nodes.evaluate_compliance import Compliance, after_compliance, evaluate_compliance
from core.nodes.fallback_safe import fallback_safe
from core.nodes.falling_back import Fallback, after_either, or_web
from core.nodes.fix_generation import fix_generation
from core.nodes.generate import generate
from core.nodes.grade_evidence import Relevance, grade_evidence
from core.nodes.guard import Safety, after_guard, guard
from core.nodes.holding import held
from core.nodes.not_found import not_found
from core.nodes.plan import Route, after_plan, plan
from core.nodes.recall_memory import recall_memory
from core.nodes.response_synth import response_synth
from core.nodes.retrieve import retrieve
from core.nodes.rewrite_query import rewrite_query
from core.nodes.telemetry import telemetry
from core.nodes.tool_executor import tool_executor
from core.nodes.web_search import Web, after_web, web_search
from core.workflows.workflow import Workflow

if TYPE_CHECKING:
    from core.workflows.workflow import Graph

NODES = {
    "guard": guard,
    "detect_language": detect_language,
    "recall_memory": recall_memory,
    "plan": plan,
    "rewrite_query": rewrite_query,
    "retrieve": retrieve,
    "grade_evidence": or_web(grade_evidence),
    "web_search": web_search,
    "generate": generate,
    "check_answer": or_web(held(check_answer, AnswerReady)),
    "not_found": not_found,
    "direct_answer": held(direct_answer, AnswerReady),
    "evaluate_compliance": evaluate_compliance,
    "fix_generation": fix_generation,
    "fallback_safe": fallback_safe,
    "tool_executor": tool_executor,
    "offer_forms": response_synth,
    "consolidate_memory": consolidate_memory,
    "telemetry": telemetry,
}


def wire(graph: Graph) -> None:
    for name, node in NODES.items():
        graph.add_node(name, node)
    graph.set_entry_point("guard")
    graph.add_conditional_edges("guard", after_guard, {Safety.PASSED: "detect_language", Safety.BLOCKED: "telemetry"})
    graph.add_edge("detect_language", "recall_memory")
    graph.add_edge("recall_memory", "plan")
    graph.add_conditional_edges(
        "plan",
        after_plan,
        {
            Route.WEB: "web_search",
            Route.CHUNKS: "rewrite_query",
            Route.HIERARCHICAL: "rewrite_query",
            Route.GRAPH: "rewrite_query",
            Route.FORM: "tool_executor",
            Route.DIRECT: "direct_answer",
            Route.OUT_OF_SCOPE: "direct_answer",
        },
    )
    _wire_searches(graph)
    _wire_checks(graph)
    graph.add_edge("tool_executor", "offer_forms")
    graph.add_edge("offer_forms", "telemetry")
    graph.add_edge("not_found", "telemetry")
    graph.add_edge("consolidate_memory", "telemetry")


def _wire_searches(graph: Graph) -> None:
    graph.add_edge("rewrite_query", "retrieve")
    graph.add_edge("retrieve", "grade_evidence")
    graph.add_conditional_edges(
        "grade_evidence",
        after_either,
        {
            Relevance.FOUND: "generate",
            Relevance.RETRY: "rewrite_query",
            Fallback.WEB: "web_search",
            Relevance.NOTHING: "not_found",
        },
    )
    graph.add_conditional_edges(
        "web_search",
        after_web,
        {Web.DOCUMENTS: "rewrite_query", Web.FOUND: "generate", Web.NOTHING: "not_found"},
    )


def _wire_checks(graph: Graph) -> None:
    graph.add_edge("generate", "check_answer")
    graph.add_conditional_edges(
        "check_answer",
        after_either,
        {
            Check.FINE: "evaluate_compliance",
            Check.GIVE_UP: "evaluate_compliance",
            Check.RETRY: "rewrite_query",
            Fallback.WEB: "web_search",
            Check.NOTHING: "not_found",
        },
    )
    graph.add_edge("direct_answer", "evaluate_compliance")
    graph.add_conditional_edges(
        "evaluate_compliance",
        after_compliance,
        {
            Compliance.COMPLIANT: "consolidate_memory",
            Compliance.FIX: "fix_generation",
            Compliance.SAFE_REPLY: "fallback_safe",
            Compliance.NOTHING: "fallback_safe",
        },
    )
    graph.add_edge("fix_generation", "evaluate_compliance")
    graph.add_edge("fallback_safe", "telemetry")


WORKFLOW = Workflow(
    name="adaptive",
    order=1,
    wire=wire,
    last=("telemetry",),
    title="workflow.adaptive.title",
    summary="workflow.adaptive.summary",
    welcome="workflow.adaptive.welcome",
    searches_web=True,
)
