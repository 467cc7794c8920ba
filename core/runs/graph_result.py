"""What a run of the graph agent gives back as one object, folded from its events."""

from dataclasses import dataclass

from core.domain.knowledge import GraphStats
from core.runs.view import RunView
from core.tools.describe_graph import density


@dataclass(frozen=True, slots=True)
class GraphCall:
    tool: str
    args: str
    """JSON."""
    call_id: str
    """The model's own, or the built-in planner's; empty in runs of before it was noted."""


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
    calls = tuple(GraphCall(it.tool, it.arguments, it.call_id) for it in uses)
    prompt, completion = view.usage.prompt_tokens, view.usage.completion_tokens
    return GraphResult(
        question=view.question,
        answer=view.answer,
        tool_calls=calls,
        total_messages=2 + 2 * len(calls),
        token_usage={"prompt": prompt, "completion": completion, "total": prompt + completion},
        kg_stats={"nodes": stats.entities, "edges": stats.relations, "density": density(stats)},
    )
