"""How many calls a number of short texts are read by, so that no slot of the model stays empty. Pure."""

from collections.abc import Sequence

LEAST_PART, OF = 7, 10
"""A call is at least seven tenths full, because the instructions go along with each."""


def least(most: int) -> int:
    """The size of a call that is full enough to be made."""
    return most * LEAST_PART // OF


def calls_for(whole: int, most: int, slots: int) -> int:
    """As few as hold the whole, or so many more that the last round has one for every slot."""
    fewest = max(1, -(-whole // most))
    rounds = -(-fewest // slots)
    return max(fewest, min(rounds * slots, whole // least(most)))


def shared_out(sizes: Sequence[int], count: int) -> list[list[int]]:
    """Places in order, in at most `count` groups of about equal size; a share is passed by up to half a text."""
    whole = sum(sizes)
    groups: list[list[int]] = [[] for _ in range(count)]
    before = 0
    for place, size in enumerate(sizes):
        groups[min(count - 1, int((before + size / 2) * count / whole))].append(place)
        before += size
    return [group for group in groups if group]
