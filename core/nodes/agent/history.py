"""How much of a long conversation goes along: never a piece that begins in the middle of a turn."""

from collections.abc import Sequence

from core.domain.runs import Turn

LONG = 25
KEPT = 20


def cut_history(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """All of a short one; of one above LONG messages the newest KEPT, from the first question among them on.

    A plain cut can leave a tool's result without its call, which servers refuse.
    """
    if len(turns) <= LONG:
        return tuple(turns)
    newest = list(turns[-KEPT:])
    first = next((at for at, turn in enumerate(newest) if turn.role == "user"), len(newest))
    return tuple(newest[first:])
