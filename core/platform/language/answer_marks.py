"""Marks in the text of an answer: citation numbers [n], quotes, and the value in bold that leads it."""

import re
from collections.abc import Iterator

from core.platform.language.patterns import pattern
from core.platform.language.sentences import sentence_spans

_MARKER = pattern(r"([ \t]?)[\[【［](\s*\d{1,3}(?:\s*[,，;、–\-]\s*\d{1,3})*\s*)[\]】］]")
_PERHAPS = pattern(r"\s*[\[【［][\d\s,，;、–\-]{0,24}$|\s+$")
"""The end of a piece that may become a marker with the next one."""
SHOWN = re.compile(r"\[(\d{1,3})\]")
"""A marker as the reader sees it."""
QUOTED = re.compile(r"“(.+)”", re.DOTALL)
VALUE = re.compile(r"\*\*([^*\n]+)\*\*")
"""The value at the beginning of an answer."""
_BEHIND = re.compile(r"\s*(?:\[\d{1,3}\])+[.。]?\s*")
_RANGE = re.compile(r"(\d{1,3})\s*[–\-]\s*(\d{1,3})")


class Numbering:
    """Assigns citation numbers by first appearance."""

    def __init__(self, passages: int) -> None:
        self.passages = passages
        self.order: list[int] = []
        """Position of the passage shown as number 1, 2, ..."""

    def number(self, given: int) -> int | None:
        """Return the shown number of the passage that the writer calls given (1-based); None when there is none."""
        if not 1 <= given <= self.passages:
            return None
        if given - 1 not in self.order:
            self.order.append(given - 1)
        return self.order.index(given - 1) + 1

    def shown(self, match: re.Match[str]) -> str:
        """Return the replacement of a marker: nothing, not even its space, when no passage has the number."""
        numbers = dict.fromkeys(filter(None, map(self.number, _given(match[2]))))
        return match[1] + "".join(f"[{number}]" for number in numbers) if numbers else ""


def renumbered(pieces: Iterator[str], numbering: Numbering) -> Iterator[str]:
    """Yield the pieces with markers as the reader sees them; a marker cut between pieces is held back until whole."""
    held = ""
    for piece in pieces:
        text = held + piece
        tail = _PERHAPS.search(text)
        held = text[tail.start() :] if tail else ""
        if ready := _MARKER.sub(numbering.shown, text[: tail.start()] if tail else text):
            yield ready
    if last := _MARKER.sub(numbering.shown, held).rstrip():
        yield last


def claims_of(answer: str) -> Iterator[tuple[int, str]]:
    """Yield (number, text before its marker back to the previous marker or line), in order."""
    start, claim = 0, ""
    for match in SHOWN.finditer(answer):
        between = answer[start : match.start()].rpartition("\n")[2].strip(" .。,，;；")
        claim = between or claim
        start = match.end()
        if claim:
            yield int(match[1]), claim


def without_markers(text: str) -> str:
    return re.sub(r"\s*\[\d{1,3}\]", "", text)


def sentences_with_markers(line: str) -> list[str]:
    """Return the sentences of a line, each with the markers and spaces that follow it; together they are the line."""
    parts: list[str] = []
    at = 0
    for end in [*(end for _, end in sentence_spans(line)), len(line)]:
        piece = line[at:end]
        behind = _BEHIND.match(piece) if parts else None
        if behind:
            parts[-1] += behind.group()
            piece = piece[behind.end() :]
        parts += [piece] if piece else []
        at = end
    return parts


def _given(inside: str) -> Iterator[int]:
    for part in re.split(r"[,，;、]", inside):
        if bounds := _RANGE.search(part):
            first, last = int(bounds[1]), int(bounds[2])
            yield from range(first, min(last, first + 9) + 1)
        elif part.strip().isdigit():
            yield int(part)
