"""The entities that the steps of a run looked at: by a tool of the graph, or in the passages that they weighed."""

from collections.abc import Sequence

from core.graph.ports import KnowledgeGraph
from core.runs.history.view import RunView, StepView


def looked_at(steps: Sequence[StepView], graph: KnowledgeGraph) -> list[tuple[str, ...]]:
    """Ids, step by step; empty for one that looked at nothing, such as a check of the question."""
    weighed = [_chunks(step) for step in steps]
    held = graph.of_chunks(list(dict.fromkeys(chunk_id for chunks in weighed for chunk_id in chunks)))
    return [
        tuple(dict.fromkeys((*step.entity_ids, *(it.id for chunk_id in chunks for it in held.get(chunk_id, ())))))
        for step, chunks in zip(steps, weighed, strict=True)
    ]


def asked_about(view: RunView, base_id: str, graph: KnowledgeGraph, limit: int) -> list[str]:
    """The entities that the question names, then those of the cited passages."""
    return graph.touched(base_id, view.question, [it.chunk_id for it in view.citations], limit)


def _chunks(step: StepView) -> list[str]:
    """None for pages of the web, and where a tool of the graph says itself what it looked at."""
    return [] if step.entity_ids else [it.chunk_id for it in (*step.kept, *step.rejected) if it.page >= 0]
