"""The default workflow: plans a search, grades the results, answers, checks the answer and retries on failure."""

from core.agents.nodes.answer.direct_answer import direct_answer
from core.agents.nodes.answer.fallback_safe import fallback_safe
from core.agents.nodes.answer.fix_generation import fix_generation
from core.agents.nodes.answer.generate import generate
from core.agents.nodes.answer.not_found import not_found
from core.agents.nodes.answer.response_synth import response_synth
from core.agents.nodes.answer.tell_graph import tell_graph
from core.agents.nodes.check.check_answer import CheckOutcome, check_answer
from core.agents.nodes.check.evaluate_compliance import ComplianceOutcome, evaluate_compliance
from core.agents.nodes.memory.consolidate_memory import consolidate_memory
from core.agents.nodes.memory.recall_memory import recall_memory
from core.agents.nodes.plan.detect_language import detect_language
from core.agents.nodes.plan.guard import GuardOutcome, guard
from core.agents.nodes.plan.plan import plan
from core.agents.nodes.search.grade_evidence import EvidenceOutcome, grade_evidence
from core.agents.nodes.search.retrieve import retrieve
from core.agents.nodes.search.rewrite_query import rewrite_query
from core.agents.nodes.search.tool_executor import tool_executor
from core.agents.nodes.search.web_search import WebOutcome, web_search
from core.agents.nodes.telemetry import telemetry
from core.agents.state import Route
from core.agents.workflows.workflow import Graph, Workflow, outcome_of
from core.graph.questions import TellOutcome

NODES = {
    "guard": guard,
    "detect_language": detect_language,
    "recall_memory": recall_memory,
    "plan": plan,
    "tell_graph": tell_graph,
    "rewrite_query": rewrite_query,
    "retrieve": retrieve,
    "grade_evidence": grade_evidence,
    "web_search": web_search,
    "generate": generate,
    "check_answer": check_answer,
    "not_found": not_found,
    "direct_answer": direct_answer,
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
    graph.add_conditional_edges(
        "guard", outcome_of, {GuardOutcome.PASSED: "detect_language", GuardOutcome.BLOCKED: "telemetry"}
    )
    graph.add_edge("detect_language", "recall_memory")
    graph.add_edge("recall_memory", "plan")
    graph.add_conditional_edges(
        "plan",
        outcome_of,
        {
            Route.WEB: "web_search",
            Route.CHUNKS: "rewrite_query",
            Route.HIERARCHICAL: "rewrite_query",
            Route.GRAPH: "tell_graph",
            Route.FORM: "tool_executor",
            Route.DIRECT: "direct_answer",
            Route.OUT_OF_SCOPE: "direct_answer",
        },
    )
    graph.add_conditional_edges(
        "tell_graph", outcome_of, {TellOutcome.TOLD: "evaluate_compliance", TellOutcome.SEARCH: "rewrite_query"}
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
        outcome_of,
        {
            EvidenceOutcome.FOUND: "generate",
            EvidenceOutcome.RETRY: "rewrite_query",
            EvidenceOutcome.WEB: "web_search",
            EvidenceOutcome.NOTHING: "not_found",
        },
    )
    graph.add_conditional_edges(
        "web_search",
        outcome_of,
        {WebOutcome.DOCUMENTS: "rewrite_query", WebOutcome.FOUND: "generate", WebOutcome.NOTHING: "not_found"},
    )


def _wire_checks(graph: Graph) -> None:
    graph.add_edge("generate", "check_answer")
    graph.add_conditional_edges(
        "check_answer",
        outcome_of,
        {
            CheckOutcome.FINE: "evaluate_compliance",
            CheckOutcome.GIVE_UP: "evaluate_compliance",
            CheckOutcome.RETRY: "rewrite_query",
            CheckOutcome.WEB: "web_search",
            CheckOutcome.NOTHING: "not_found",
        },
    )
    graph.add_edge("direct_answer", "evaluate_compliance")
    graph.add_conditional_edges(
        "evaluate_compliance",
        outcome_of,
        {
            ComplianceOutcome.COMPLIANT: "consolidate_memory",
            ComplianceOutcome.FIX: "fix_generation",
            ComplianceOutcome.SAFE_REPLY: "fallback_safe",
            ComplianceOutcome.NOTHING: "fallback_safe",
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
