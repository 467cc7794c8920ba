"""The result of a graph agent run as one object, built from its events."""

import json
from dataclasses import dataclass
from typing import Any

from core.agents.tools.describe_graph import density
from core.graph.model import GraphStats
from core.runs.history.view import RunView

OF_WORKFLOW = "graph_react"


@dataclass(frozen=True, slots=True)
class GraphCall:
    tool: str
    args: dict[str, Any]
    call_id: str
    """The model's, or the built-in planner's; empty in runs recorded before this field existed."""


@dataclass(frozen=True, slots=True)
class GraphResult:
    question: str
    answer: str
    tool_calls: tuple[GraphCall, ...]
    total_messages: int
    """The question, two for every tool call (the call and its result), and the answer."""
    token_usage: dict[str, int]
    """prompt, completion, total: summed over all model calls of the run."""
    kg_stats: dict[str, float]
    """nodes, edges, density."""


def graph_result(view: RunView, stats: GraphStats) -> GraphResult:
    uses = [tool for step in view.steps for tool in step.tools]
    calls = tuple(GraphCall(it.tool, json.loads(it.arguments or "{}"), it.call_id) for it in uses)
    prompt, completion = view.usage.prompt_tokens, view.usage.completion_tokens
    return GraphResult(
        question=view.question,
        answer=view.answer,
        tool_calls=calls,
        total_messages=2 + 2 * len(calls),
        token_usage={"prompt": prompt, "completion": completion, "total": prompt + completion},
        kg_stats={"nodes": stats.entities, "edges": stats.relations, "density": density(stats)},
    )
