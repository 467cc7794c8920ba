"""Graded retrieval and answers that are checked for compliance before anyone reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.events import AnswerReset
from core.nodes.direct_answer import direct_answer
from core.nodes.evaluate_compliance import Compliance, after_compliance, evaluate_compliance
from core.nodes.evaluate_relevance import evaluate_relevance
from core.nodes.expand_query import expand_query
from core.nodes.fallback_safe import fallback_safe
from core.nodes.fix_generation import fix_generation
from core.nodes.generate import generate
from core.nodes.grade_evidence import Relevance, after_grade
from core.nodes.holding import held
from core.nodes.knowledge_fallback import knowledge_fallback
from core.nodes.retrieve import retrieve
from core.nodes.rewrite_relevance import rewrite_relevance
from core.nodes.router import Direction, after_router, router
from core.workflows.drawing import END
from core.workflows.workflow import Workflow

if TYPE_CHECKING:
    from core.workflows.workflow import Graph


def wire(graph: Graph) -> None:
    graph.add_node("router", router)
    graph.add_node("rewrite", expand_query)
    graph.add_node("retrieve", retrieve)
    graph.add_node("evaluate_relevance", evaluate_relevance)
    graph.add_node("rewrite_relevance", rewrite_relevance)
    graph.add_node("knowledge_fallback", knowledge_fallback)
    graph.add_node("generate", held(generate))
    graph.add_node("evaluate_compliance", held(evaluate_compliance, AnswerReset))
    graph.add_node("fix_generation", fix_generation)
    graph.add_node("fallback_safe", fallback_safe)
    graph.add_node("direct_answer", held(direct_answer))
    graph.set_entry_point("router")
    graph.add_conditional_edges(
        "router", after_router, {Direction.DIRECT: "direct_answer", Direction.RETRIEVAL: "rewrite"}
    )
    graph.add_edge("rewrite", "retrieve")
    graph.add_edge("retrieve", "evaluate_relevance")
    graph.add_conditional_edges(
        "evaluate_relevance",
        after_grade,
        {
            Relevance.FOUND: "generate",
            Relevance.RETRY: "rewrite_relevance",
            Relevance.NOTHING: "knowledge_fallback",
        },
    )
    graph.add_edge("rewrite_relevance", "retrieve")
    graph.add_edge("generate", "evaluate_compliance")
    graph.add_edge("direct_answer", "evaluate_compliance")
    graph.add_conditional_edges(
        "evaluate_compliance",
        after_compliance,
        {
            Compliance.COMPLIANT: END,
            Compliance.FIX: "fix_generation",
            Compliance.SAFE_REPLY: "fallback_safe",
            Compliance.NOTHING: "knowledge_fallback",
        },
    )
    graph.add_edge("fix_generation", "evaluate_compliance")


WORKFLOW = Workflow(
    name="guarded",
    order=3,
    wire=wire,
    last=("knowledge_fallback", "fallback_safe"),
    title="workflow.guarded.title",
    summary="workflow.guarded.summary",
    welcome="workflow.guarded.welcome",
)
