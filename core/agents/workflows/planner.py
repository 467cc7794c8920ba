"""Nine nodes: guard, language, plan with tools, progressive retrieval, response by situation, telemetry."""

from core.agents.nodes.answer.response_synth import response_synth
from core.agents.nodes.plan.detect_language import language_normalizer
from core.agents.nodes.plan.guard import GuardOutcome, guard
from core.agents.nodes.plan.plan_tools import FollowupOutcome, TaskType, followup_transform, plan_tools
from core.agents.nodes.search.rewrite_query import query_builder
from core.agents.nodes.search.tool_executor import RetrievalOutcome, retrieval_checker, tool_executor
from core.agents.nodes.telemetry import telemetry
from core.agents.workflows.workflow import Edges, Graph, Workflow, connect

EDGES: Edges = {
    "guard": {GuardOutcome.PASSED: "language_normalizer", GuardOutcome.BLOCKED: "telemetry"},
    "language_normalizer": "planner",
    "planner": {
        TaskType.SIMPLE_FAQ: "query_builder",
        TaskType.FORM_DOWNLOAD: "query_builder",
        TaskType.CONVERSATION_FOLLOWUP: "followup_transform",
        TaskType.OUT_OF_SCOPE: "response_synth",
        TaskType.GREETING: "response_synth",
    },
    "followup_transform": {FollowupOutcome.EVIDENCE: "query_builder", FollowupOutcome.HISTORY: "response_synth"},
    "query_builder": "tool_executor",
    "tool_executor": "retrieval_checker",
    "retrieval_checker": {
        RetrievalOutcome.FOUND: "response_synth",
        RetrievalOutcome.RETRY: "query_builder",
        RetrievalOutcome.FALLBACK: "response_synth",
    },
    "response_synth": "telemetry",
}


def wire(graph: Graph) -> None:
    graph.add_node("guard", guard)
    graph.add_node("language_normalizer", language_normalizer)
    graph.add_node("planner", plan_tools)
    graph.add_node("followup_transform", followup_transform)
    graph.add_node("query_builder", query_builder)
    graph.add_node("tool_executor", tool_executor)
    graph.add_node("retrieval_checker", retrieval_checker)
    graph.add_node("response_synth", response_synth)
    graph.add_node("telemetry", telemetry)
    graph.set_entry_point("guard")
    connect(graph, EDGES)


WORKFLOW = Workflow(
    name="planner",
    order=4,
    wire=wire,
    last=("telemetry",),
)
