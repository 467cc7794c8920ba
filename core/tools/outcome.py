"""What a tool of the planner gives back."""

from dataclasses import dataclass

from core.domain.passages import Hit, Rejected


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    arguments: str
    """JSON."""
    text: str
    """For the trace."""
    hits: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    route: str = ""
    forms: tuple[str, ...] = ()
    """Ids of documents that can be downloaded."""
