"""Tells the line breaks of wrapped paragraphs from those that a writer made. Pure functions."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.documents.reading.headings import names_chapter
from core.documents.reading.normalise import is_han, one_line, weight

LIST_ITEM = re.compile(r"^[ \t]*(?:[-*+•]|\d{1,3}[.)])[ \t]+\S")
_NARROWEST, _WIDEST = 55, 120
"""Columns at which prose is wrapped; a Han character takes two. Narrower lines are verses, addresses or items."""
_ROOM = 5
"""Columns that wrapped lines leave free beside what the next word would have needed."""
_LEAST_WRAPPED = 2
_LEAST_SHARE = 0.25
"""Wrapped breaks among all between two lines of prose."""
_LONGEST_WORD = 30
"""A longer one, such as an address of the web, is put on a line of its own in any text."""
_SPILL = 1.1
"""Greatest length of a wrapped line relative to the width: a long word at its end may stand out."""
_ALIGNED = re.compile(r"\S(?:\t| {3})|\|.*\|")
"""Columns of a table, which need their line."""
_DIGITS = re.compile(r"\d+")
_LETTER = re.compile(r"[^\W\d_]")


def unwrapped(lines: Sequence[str]) -> list[str]:
    """The lines, those of each wrapped paragraph joined into one."""
    width = _width(lines)
    return [_joined(run) for run in _runs(lines, width)] if width else list(lines)


def _runs(lines: Sequence[str], width: int) -> Iterator[list[str]]:
    run: list[str] = []
    for line, after in pairwise([*lines, ""]):
        run.append(line)
        if not _is_wrapped(line, after, width):
            yield run
            run = []


def _joined(run: list[str]) -> str:
    """One line with the indentation of the first."""
    if len(run) == 1:
        return run[0]
    return run[0][: len(run[0]) - len(run[0].lstrip())] + one_line("\n".join(run))


def _width(lines: Sequence[str]) -> int:
    """The columns at which most breaks in paragraphs are explained by wrapping; 0 where too few are."""
    explained: Counter[int] = Counter()
    breaks = 0
    for line, after in pairwise(lines):
        if _may_go_on(line, after) and after.lstrip()[0].isalpha():
            breaks += 1
            end = _columns(line)
            explained.update(range(max(end, _NARROWEST), min(end + _needed(line, after) + _ROOM, _WIDEST + 1)))
    if not explained:
        return 0
    width = max(explained, key=lambda columns: (explained[columns], -columns))
    longer = sum(_columns(line) > _SPILL * width for line in lines if _is_prose(line))
    is_usual = explained[width] > longer and explained[width] >= _LEAST_SHARE * breaks
    return width if is_usual and explained[width] >= _LEAST_WRAPPED else 0


def _is_wrapped(line: str, after: str, width: int) -> bool:
    """Whether the next word had no room in the line."""
    if not _may_go_on(line, after) or (end := _columns(line)) > _SPILL * width:
        return False
    return end + _needed(line, after) + _ROOM > width


def _may_go_on(line: str, after: str) -> bool:
    if not _is_prose(line) or not _is_prose(after) or LIST_ITEM.match(after):
        return False
    if names_chapter(line) or names_chapter(after):
        return False
    return _opening(line) != _opening(after) and _needed(line, after) <= _LONGEST_WORD


def _opening(line: str) -> str:
    """The first word with 0 for each number: the lines of a log begin alike."""
    return _DIGITS.sub("0", line.split(maxsplit=1)[0])


def _is_prose(line: str) -> bool:
    return bool(_LETTER.search(line)) and not _ALIGNED.search(line.strip())


def _columns(line: str) -> int:
    return weight(line.rstrip().expandtabs())


def _needed(line: str, after: str) -> int:
    """Columns that the first word of the next line would take at the end of this one."""
    word = after.split(maxsplit=1)[0][: _LONGEST_WORD + 1]
    if is_han(word[0]):
        return weight(word[0])
    letters = next((place for place, sign in enumerate(word) if is_han(sign)), len(word))
    return letters + (not is_han(line.rstrip()[-1]))
