"""The default workflow: plans a search, grades the results, answers, checks the answer and retries on failure."""

from core.agents.nodes.answer.direct_answer import direct_answer
from core.agents.nodes.answer.fix_generation import fallback_safe, fix_generation
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
from core.agents.workflows.workflow import Edges, Graph, Workflow, connect
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


EDGES: Edges = {
    "guard": {GuardOutcome.PASSED: "detect_language", GuardOutcome.BLOCKED: "telemetry"},
    "detect_language": "recall_memory",
    "recall_memory": "plan",
    "plan": {
        Route.WEB: "web_search",
        Route.CHUNKS: "rewrite_query",
        Route.HIERARCHICAL: "rewrite_query",
        Route.GRAPH: "tell_graph",
        Route.FORM: "tool_executor",
        Route.DIRECT: "direct_answer",
        Route.OUT_OF_SCOPE: "direct_answer",
    },
    "tell_graph": {TellOutcome.TOLD: "evaluate_compliance", TellOutcome.SEARCH: "rewrite_query"},
    "rewrite_query": "retrieve",
    "retrieve": "grade_evidence",
    "grade_evidence": {
        EvidenceOutcome.FOUND: "generate",
        EvidenceOutcome.RETRY: "rewrite_query",
        EvidenceOutcome.WEB: "web_search",
        EvidenceOutcome.NOTHING: "not_found",
    },
    "web_search": {
        WebOutcome.DOCUMENTS: "rewrite_query",
        WebOutcome.FOUND: "generate",
        WebOutcome.NOTHING: "not_found",
    },
    "generate": "check_answer",
    "check_answer": {
        CheckOutcome.FINE: "evaluate_compliance",
        CheckOutcome.GIVE_UP: "evaluate_compliance",
        CheckOutcome.RETRY: "rewrite_query",
        CheckOutcome.WEB: "web_search",
        CheckOutcome.NOTHING: "not_found",
    },
    "direct_answer": "evaluate_compliance",
    "evaluate_compliance": {
        ComplianceOutcome.COMPLIANT: "consolidate_memory",
        ComplianceOutcome.FIX: "fix_generation",
        ComplianceOutcome.SAFE_REPLY: "fallback_safe",
        ComplianceOutcome.NOTHING: "fallback_safe",
    },
    "fix_generation": "evaluate_compliance",
    "fallback_safe": "telemetry",
    "tool_executor": "offer_forms",
    "offer_forms": "telemetry",
    "not_found": "telemetry",
    "consolidate_memory": "telemetry",
}


def wire(graph: Graph) -> None:
    for name, node in NODES.items():
        graph.add_node(name, node)
    graph.set_entry_point("guard")
    connect(graph, EDGES)


WORKFLOW = Workflow(
    name="adaptive",
    order=1,
    wire=wire,
    last=("telemetry",),
    searches_web=True,
)
