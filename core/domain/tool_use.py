"""A tool that an agent called, and what it said."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    call_id: str
    tool: str
    arguments: str
    """JSON."""
    result: str = ""
    """Empty while it is only asked for."""
