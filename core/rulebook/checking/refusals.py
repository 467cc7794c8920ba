"""Reads a model's reply: the copied sentence and the refusal are for us, the answer alone is for the reader."""

from collections.abc import Iterator
from itertools import chain

from core.platform.language.patterns import pattern

REFUSAL = "NOT ANSWERED"
"""What a model is asked to write where the passages do not answer."""
COPY, ANSWER = "QUOTE", "ANSWER"
"""How the lines begin on which it copies what answers, and then answers."""
MAX_REASON = 600
"""Longest stored text behind a refusal, in characters."""
_ORNAMENT = " \t\r\n*_#`\"'>[("
_COLON = ":："
_ANSWER = pattern(rf"(?:^|\n|(?<=[.。!！?？\"”]))[\s*_#]*{ANSWER}[*_]*\s*[{_COLON}][*_\s]*")


class ReplyParts:
    """What a model's reply has besides the answer."""

    def __init__(self) -> None:
        self.refused = False
        self.reason = ""
        """What stands behind the refusal: what is missing, or an answer after all."""
        self.copied = ""
        """What it copied before it answered."""


def answer_of(pieces: Iterator[str], reply: ReplyParts) -> Iterator[str]:
    """Yield the pieces of the answer as soon as it is clear that they are some; the rest is noted in `reply`."""
    held = ""
    for piece in pieces:
        held += piece
        begun = held.lstrip(_ORNAMENT)
        if _begins(begun, COPY):
            yield from _below_copy(begun, pieces, reply)
            return
        if _begins(begun, ANSWER):
            yield from _without(_ORNAMENT + _COLON, chain((begun[len(ANSWER) :],), pieces))
            return
        elif begun.upper().startswith(REFUSAL):
            _refuse(begun, pieces, reply)
            return
        elif not any(label.startswith(begun[: len(label)].upper()) for label in (COPY, ANSWER, REFUSAL)):
            yield held
            yield from pieces
            return
    if held:
        yield held


def _begins(begun: str, label: str) -> bool:
    return begun.upper().startswith(label) and begun[len(label) :].lstrip("*_ ")[:1] in (*_COLON,)


def _below_copy(begun: str, pieces: Iterator[str], reply: ReplyParts) -> Iterator[str]:
    """The answer behind its label; without one what stands below the first line."""
    for piece in pieces:
        begun += piece
        if _ANSWER.search(begun):
            break
    label = _ANSWER.search(begun)
    if label:
        copied, rest = begun[: label.start()], begun[label.end() :]
    else:
        copied, _, rest = begun.partition("\n")
    reply.copied = copied[len(COPY) :].strip(_ORNAMENT + _COLON + "“”])")
    closing = " \t\r\n" + ("*_" if label and set("*_") & set(label.group()) else "")
    yield from answer_of(_without(closing, chain((rest,), pieces)), reply)


def _without(characters: str, pieces: Iterator[str]) -> Iterator[str]:
    """The pieces without these characters at the beginning."""
    begun = next((left for piece in pieces if (left := piece.lstrip(characters))), "")
    yield from chain((begun,) if begun else (), pieces)


def _refuse(begun: str, pieces: Iterator[str], reply: ReplyParts) -> None:
    reply.refused = True
    for piece in chain((begun[len(REFUSAL) :],), pieces):
        reply.reason = (reply.reason + piece)[:MAX_REASON]
    reply.reason = reply.reason.lstrip(_ORNAMENT + _COLON + ".").rstrip()
