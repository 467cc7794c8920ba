"""Stretches of a text: merged, and split by script, so that a reader of one script gets its own lines alone."""

from collections.abc import Iterable

from core.platform.language.scripts import HAN_CHARACTER, KANA_OR_HANGUL, LETTER

Interval = tuple[int, int]
"""(start, end) of a stretch, end exclusive."""


def merged(intervals: Iterable[Interval]) -> list[Interval]:
    """Return the stretches in order, those that touch or overlap as one."""
    joined: list[Interval] = []
    for start, end in sorted(intervals):
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(joined[-1][1], end))
        else:
            joined.append((start, end))
    return joined


def split_by_script(text: str) -> tuple[list[Interval], list[Interval]]:
    """(Chinese, other) stretches (start, end) of the text, whole lines, together all of it.

    A Han character counts as two letters, as in language detection; a line without letters follows the one before it.
    """
    if not HAN_CHARACTER.search(text):
        return [], [(0, len(text))] if text else []
    sides: tuple[list[Interval], list[Interval]] = ([], [])
    side, position = 0, 0
    for line in text.splitlines(keepends=True):
        letters = len(LETTER.findall(line))
        if letters:
            side = 0 if _is_chinese(line, letters) else 1
        sides[side].append((position, position + len(line)))
        position += len(line)
    return merged(sides[0]), merged(sides[1])


def _is_chinese(line: str, letters: int) -> bool:
    han = len(HAN_CHARACTER.findall(line))
    return bool(han) and 2 * han >= letters - han and len(KANA_OR_HANGUL.findall(line)) * 8 < han
