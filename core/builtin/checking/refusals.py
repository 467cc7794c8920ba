"""A model's word that the passages do not answer: kept from the reader, told to the next search."""

from collections.abc import Iterator

REFUSAL = "NOT ANSWERED"
"""What the prompt asks a model to begin with when it cannot answer."""
MAX_REASON = 300
"""Characters of what is missing that are kept."""
_ORNAMENT = " \t\r\n*_#`\"'>[("


class Refusal:
    """Whether a text began with the refusal, and what it said is missing."""

    def __init__(self) -> None:
        self.made = False
        self.reason = ""

    def hear(self, piece: str) -> None:
        self.reason = (self.reason + piece)[:MAX_REASON]


def unless_refused(pieces: Iterator[str], refusal: Refusal) -> Iterator[str]:
    """The pieces from when it is clear that they answer; none where they refuse, which the refusal then tells."""
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
