"""Detects a model's statement that the passages do not answer; the next search uses it, the reader never sees it."""

from collections.abc import Iterator

REFUSAL = "NOT ANSWERED"
"""How a model is asked to begin when it cannot answer."""
MAX_REASON = 300
"""Longest stored description of what is missing, in characters."""
_ORNAMENT = " \t\r\n*_#`\"'>[("


class Refusal:
    """Whether a text began with the refusal, and what it named as missing."""

    def __init__(self) -> None:
        self.made = False
        self.reason = ""

    def hear(self, piece: str) -> None:
        self.reason = (self.reason + piece)[:MAX_REASON]


def unless_refused(pieces: Iterator[str], refusal: Refusal) -> Iterator[str]:
    """Yields the pieces once it is clear that they are no refusal; a refusal is recorded instead."""
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip(_ORNAMENT)
        if begun.upper().startswith(REFUSAL):
            _take(begun[len(REFUSAL) :], pieces, refusal)
            return
        if not REFUSAL.startswith(begun.upper()):
            yield held
            held = ""
            yield from pieces
    if held:
        yield held


def _take(begun: str, pieces: Iterator[str], refusal: Refusal) -> None:
    refusal.made = True
    refusal.hear(begun.lstrip(_ORNAMENT + ":：."))
    for piece in pieces:
        refusal.hear(piece)
