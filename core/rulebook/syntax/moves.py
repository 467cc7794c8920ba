"""Finds the head of every word by moves between a stack and what is still to be read (arc-eager, as spaCy does)."""

from collections.abc import Sequence
from functools import cache

import numpy as np

from core.rulebook.syntax.network import Floats, SyntaxNetwork

SHIFT, REDUCE, LEFT, RIGHT, BREAK = "SDLRB"
_ORDER = SHIFT + REDUCE + LEFT + RIGHT
ROOT = "ROOT"


class Reading:
    """One sentence while it is parsed."""

    __slots__ = ("_left", "_right", "_shifted", "heads", "labels", "length", "next", "offset", "returned", "stack")

    def __init__(self, length: int, offset: int) -> None:
        self.length, self.offset, self.next = length, offset, 0
        self.heads = [-1] * length
        """Place of the head of each word; -1 for the root."""
        self.labels = [ROOT] * length
        self.stack: list[int] = []
        self.returned: list[int] = []
        """Words put back from the stack, to be read again before the next."""
        self._left: list[list[int]] = [[] for _ in range(length)]
        self._right: list[list[int]] = [[] for _ in range(length)]
        self._shifted = [False] * length

    @property
    def is_done(self) -> bool:
        return not self.stack and not self._waiting

    @property
    def _waiting(self) -> int:
        return self.length - self.next + len(self.returned)

    def features(self) -> tuple[int, ...]:
        """Rows, in what the network prepared, of the next two words, the top three of the stack and last children."""
        first = self._ahead(0)
        top = self.stack[-1] if self.stack else -1
        places = (
            first,
            self._ahead(1),
            top,
            self.stack[-2] if len(self.stack) > 1 else -1,
            self.stack[-3] if len(self.stack) > 2 else -1,
            self._left[first][-1] if first >= 0 and self._left[first] else -1,
            self._left[top][-1] if top >= 0 and self._left[top] else -1,
            self._right[top][-1] if top >= 0 and self._right[top] else -1,
        )
        return tuple(place + self.offset + 1 if place >= 0 else 0 for place in places)

    def allowed(self) -> int:
        """Bit mask in the order of the moves; moves that would split the sentence are left out."""
        depth, waiting = len(self.stack), self._waiting
        if not depth:
            return 0b0001
        if not waiting:
            return 0b0010
        shift = waiting > 1 and not self._shifted[self._ahead(0)]
        return shift | (depth > 1) << 1 | 0b1100

    def move(self, move: str, label: str) -> None:
        if move == SHIFT:
            self._push()
        elif move == REDUCE:
            top = self.stack.pop()
            if self.heads[top] < 0 and self.stack:
                self._shifted[top] = True
                self.returned.append(top)
        elif move == LEFT:
            first = self._ahead(0)
            self._attach(self.stack.pop(), first, label)
            self._shifted[first] = False
        else:
            self._attach(self._ahead(0), self.stack[-1], label)
            self._push()

    def _ahead(self, steps: int) -> int:
        if steps < len(self.returned):
            return self.returned[-1 - steps]
        place = self.next + steps - len(self.returned)
        return place if place < self.length else -1

    def _push(self) -> None:
        if self.returned:
            self.stack.append(self.returned.pop())
        else:
            self.stack.append(self.next)
            self.next += 1

    def _attach(self, child: int, head: int, label: str) -> None:
        before = self.heads[child]
        if before >= 0:
            (self._left if before > child else self._right)[before].remove(child)
        self.heads[child], self.labels[child] = head, label.split("||")[0]
        (self._left if head > child else self._right)[head].append(child)


def parse(network: SyntaxNetwork, vectors: Floats, starts: Sequence[int], lengths: Sequence[int]) -> list[Reading]:
    """All sentences step by step at once."""
    prepared = network.prepared(vectors)
    moves = [tuple(name.partition("-")[::2]) for name in network.moves]
    forbidden = _forbidden(tuple(move for move, _ in moves))
    readings = [Reading(length, start) for start, length in zip(starts, lengths, strict=True)]
    going = [reading for reading in readings if not reading.is_done]
    while going:
        rows = np.array([reading.features() for reading in going])
        scores = network.scores(prepared, rows) + forbidden[[reading.allowed() for reading in going]]
        for reading, best in zip(going, scores.argmax(axis=1).tolist(), strict=True):
            reading.move(*moves[best])
        going = [reading for reading in going if not reading.is_done]
    return readings


@cache
def _forbidden(moves: tuple[str, ...]) -> Floats:
    """For each set of allowed moves what to add to the scores."""
    table = np.full((1 << len(_ORDER), len(moves)), -np.inf, dtype=np.float32)
    for bits in range(len(table)):
        for number, move in enumerate(moves):
            if move in _ORDER and bits >> _ORDER.index(move) & 1:
                table[bits, number] = 0.0
    return table
