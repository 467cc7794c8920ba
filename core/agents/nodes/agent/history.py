"""Truncates a long conversation between turns, never inside one."""

from collections.abc import Sequence

from core.runs.model import Turn

LONG = 25
KEPT = 20


def cut_history(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The whole conversation up to LONG messages, else the newest KEPT, from their first question on.

    A plain cut can leave a tool's result without its call, which servers refuse.
    """
    if len(turns) <= LONG:
        return tuple(turns)
    newest = list(turns[-KEPT:])
    first = next((at for at, turn in enumerate(newest) if turn.role == "user"), len(newest))
    return tuple(newest[first:])
