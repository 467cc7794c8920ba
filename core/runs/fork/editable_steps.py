"""Values that a reader may change at a step of a finished run to continue from it."""

from dataclasses import dataclass

from core.agents.state import Update
from core.agents.workflows.drawing import END, draw
from core.agents.workflows.registry import workflow_named, workflows
from core.runs.events import Scored
from core.runs.fork.state_codec import read
from core.runs.history.view import RunView, StepView
from core.runs.model import RunStatus

MOST_PASSAGES = 20
CHECKS = {"guard": (), "evaluate_compliance": (), "check_answer": ("retry",), "grade_relevance": ("retry",)}
"""Outcomes of checks that a reader may choose; a result of a check cannot be overruled, only repeated."""
AGENTS = ("model", "call_model")
"""Nodes whose outcomes follow from the tool calls that they request."""


@dataclass(frozen=True, slots=True)
class Changeable:
    """Editable values of a step; empty if the step did not set them, or a later step depends on them."""

    node: str
    attempt: int
    outcomes: tuple[str, ...] = ()
    """Other outcomes than the actual one."""
    question: str = ""
    query: str = ""
    answer: str = ""
    passages: tuple[Scored, ...] = ()
    """Graded passages; those that count as evidence have no reason."""
    arguments: tuple[tuple[str, str], ...] = ()
    """(tool, JSON arguments) of the pending calls."""

    @property
    def kept(self) -> tuple[str, ...]:
        return tuple(passage.chunk_id for passage in self.passages if not passage.reason)


def changeables(view: RunView) -> list[Changeable | None]:
    """Editable values of each step; None if no run can continue from it."""
    if view.status is RunStatus.RUNNING or view.workflow not in workflows():
        return [None] * len(view.steps)
    found: list[Changeable | None] = []
    before: Update = {}
    for step in view.steps:
        update = read(step.update)
        possible = update is not None and step.seconds is not None and leads_on(view.workflow, step.node)
        found.append(_changeable(view, step, before, update) if update is not None and possible else None)
        before = {**before, **(update or {})}
    return found


def _changeable(view: RunView, step: StepView, before: Update, update: Update) -> Changeable:
    question = update.get("resolved_question", "")
    query = update["search"].query if "search" in update else ""
    answer = update["draft"].answer if "draft" in update else ""
    had_query = before["search"].query if "search" in before else ""
    had_answer = before["draft"].answer if "draft" in before else ""
    passages = (*step.kept, *step.rejected) if "search" in update else ()
    return Changeable(
        step.node,
        step.attempt,
        outcomes=outcomes_of(view.workflow, step.node, step.outcome),
        question=question if question != before.get("resolved_question", "") else "",
        query=query if query != had_query else "",
        answer=answer if answer != had_answer and is_checked_next(view.workflow, step.node) else "",
        passages=tuple({passage.chunk_id: passage for passage in passages if passage.page >= 0}.values())[
            :MOST_PASSAGES
        ],
        arguments=tuple((use.tool, use.arguments) for use in update["agent"].wanted) if "agent" in update else (),
    )


def outcomes_of(workflow: str, node: str, taken: str) -> tuple[str, ...]:
    """Other outcomes of the node that a reader may choose."""
    arrows = [
        outcome for edge in draw(workflow_named(workflow)).edges if edge.source == node for outcome in edge.outcomes
    ]
    if node in AGENTS or taken not in arrows:
        return ()
    return tuple(outcome for outcome in CHECKS.get(node, arrows) if outcome in arrows and outcome != taken)


def is_checked_next(workflow: str, node: str) -> bool:
    """Whether a check follows the node, so that a reader may rewrite its answer."""
    return any(edge.target in CHECKS for edge in draw(workflow_named(workflow)).edges if edge.source == node)


def leads_on(workflow: str, node: str) -> bool:
    """Whether anything but the end can follow the node."""
    return any(edge.source == node and edge.target != END for edge in draw(workflow_named(workflow)).edges)
