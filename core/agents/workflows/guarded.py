"""Graded retrieval, and answers that are checked for compliance before they are shown."""

from core.agents.nodes.answer.fix_generation import fallback_safe, fix_generation
from core.agents.nodes.answer.generate import generate_unseen
from core.agents.nodes.answer.not_found import knowledge_fallback
from core.agents.nodes.check.evaluate_compliance import ComplianceOutcome, evaluate_compliance
from core.agents.nodes.memory.consolidate_memory import remembering_answer_unseen
from core.agents.nodes.plan.route_query import RouterOutcome, router
from core.agents.nodes.search.expand_query import expand_query
from core.agents.nodes.search.grade_evidence import EvidenceOutcome, evaluate_relevance
from core.agents.nodes.search.retrieve import retrieve
from core.agents.nodes.search.rewrite_query import rewrite_relevance
from core.agents.workflows.drawing import END
from core.agents.workflows.workflow import Edges, Graph, Workflow, connect

EDGES: Edges = {
    "router": {RouterOutcome.DIRECT: "direct_answer", RouterOutcome.RETRIEVAL: "rewrite"},
    "rewrite": "retrieve",
    "retrieve": "evaluate_relevance",
    "evaluate_relevance": {
        EvidenceOutcome.FOUND: "generate",
        EvidenceOutcome.RETRY: "rewrite_relevance",
        EvidenceOutcome.NOTHING: "knowledge_fallback",
    },
    "rewrite_relevance": "retrieve",
    "generate": "evaluate_compliance",
    "direct_answer": "evaluate_compliance",
    "evaluate_compliance": {
        ComplianceOutcome.COMPLIANT: END,
        ComplianceOutcome.FIX: "fix_generation",
        ComplianceOutcome.SAFE_REPLY: "fallback_safe",
        ComplianceOutcome.NOTHING: "knowledge_fallback",
    },
    "fix_generation": "evaluate_compliance",
}


def wire(graph: Graph) -> None:
    graph.add_node("router", router)
    graph.add_node("rewrite", expand_query)
    graph.add_node("retrieve", retrieve)
    graph.add_node("evaluate_relevance", evaluate_relevance)
    graph.add_node("rewrite_relevance", rewrite_relevance)
    graph.add_node("knowledge_fallback", knowledge_fallback)
    graph.add_node("generate", generate_unseen)
    graph.add_node("evaluate_compliance", evaluate_compliance)
    graph.add_node("fix_generation", fix_generation)
    graph.add_node("fallback_safe", fallback_safe)
    graph.add_node("direct_answer", remembering_answer_unseen)
    graph.set_entry_point("router")
    connect(graph, EDGES)


WORKFLOW = Workflow(
    name="guarded",
    order=3,
    wire=wire,
    last=("knowledge_fallback", "fallback_safe"),
)
