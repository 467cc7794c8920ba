"""A tool call of an agent, and its result."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ToolUse:
    call_id: str
    tool: str
    arguments: str
    """JSON."""
    result: str = ""
    """Empty until the result is there."""
