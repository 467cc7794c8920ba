"""Reads a model's reply: a refusal is for us, an answer for the reader."""

from collections.abc import Iterator
from itertools import chain

REFUSAL = "NOT ANSWERED"
"""What a model is asked to write where the passages do not answer."""
MAX_REASON = 600
"""Longest stored text behind a refusal, in characters."""
_ORNAMENT = " \t\r\n*_#`\"'>[("


class Refusal:
    """Whether a reply is one, known once its pieces were read."""

    def __init__(self) -> None:
        self.made = False
        self.reason = ""
        """What is missing."""


def answer_of(pieces: Iterator[str], refusal: Refusal) -> Iterator[str]:
    """Yield the pieces of the answer as soon as it is clear that they are some; what a refusal says is noted there."""
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip(_ORNAMENT)
        if begun.upper().startswith(REFUSAL):
            _refuse(begun, pieces, refusal)
            return
        if not REFUSAL.startswith(begun[: len(REFUSAL)].upper()):
            yield held
            yield from pieces
            return
    if held:
        yield held


def _refuse(begun: str, pieces: Iterator[str], refusal: Refusal) -> None:
    refusal.made = True
    for piece in chain((begun[len(REFUSAL) :],), pieces):
        refusal.reason = (refusal.reason + piece)[:MAX_REASON]
    refusal.reason = refusal.reason.lstrip(_ORNAMENT + ":：.").rstrip()
