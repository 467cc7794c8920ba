"""The entities that the steps of a run touched: by a graph tool, or in the passages that they graded."""

from collections.abc import Sequence

from core.graph.ports import KnowledgeGraph
from core.runs.history.view import RunView, StepView


def touched_entities(steps: Sequence[StepView], graph: KnowledgeGraph) -> list[tuple[str, ...]]:
    """Entity ids of each step; empty for a step that touched none, such as a check of the question."""
    weighed = [_chunks(step) for step in steps]
    held = graph.of_chunks(list(dict.fromkeys(chunk_id for chunks in weighed for chunk_id in chunks)))
    return [
        tuple(dict.fromkeys((*step.entity_ids, *(it.id for chunk_id in chunks for it in held.get(chunk_id, ())))))
        for step, chunks in zip(steps, weighed, strict=True)
    ]


def asked_about(view: RunView, base_id: str, graph: KnowledgeGraph, limit: int) -> list[str]:
    """Ids of the entities that the question names, then of those in the cited passages."""
    return graph.touched(base_id, view.question, [it.chunk_id for it in view.citations], limit)


def _chunks(step: StepView) -> list[str]:
    """Ids of graded chunks; none for web pages, and for graph tools, which name the entities themselves."""
    return [] if step.entity_ids else [it.chunk_id for it in (*step.kept, *step.rejected) if it.page >= 0]
