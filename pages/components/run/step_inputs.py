"""What a step had before it: found in the steps before, so that the log need not store it twice. Pure."""

from collections.abc import Sequence

from core.runs.history.view import StepView

Named = tuple[tuple[str, str], ...]
"""(name under run.detail, value)."""


def inputs_of(question: str, before: Sequence[StepView]) -> Named:
    """The question as it was understood, the query, passages and memories, as far as steps before brought them."""
    found = {"question": question}
    for step in before:
        details = dict(step.details)
        if resolved := details.get("resolved"):
            found["question"] = resolved
        if query := details.get("query"):
            found["query"] = query
        if route := details.get("route"):
            found["route"] = route
        if step.kept or step.rejected:
            found["kept"] = str(len(step.kept))
        if step.memories:
            found["memory"] = str(len(step.memories))
    return tuple(found.items())
