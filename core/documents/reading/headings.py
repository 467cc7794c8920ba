"""Finds headings and their levels, by numbering where the parser gives only one level. Pure functions."""

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from core.documents.model import Block
from core.documents.reading.normalise import one_line
from core.platform.language.numbers import HAN_NUMERALS, HAN_TO_TEN
from core.platform.language.scripts import HAN

TOP = 2
"""Level of main sections; 1 is the document's title."""
_MAX_LENGTH = 200
_COUNT = rf"第\s*[0-9{HAN_NUMERALS}]+\s*"
_CHAPTER = re.compile(
    rf"^(?:{_COUNT}[章篇部编卷]|(?:chapter|part|appendix|annex)\s+(?:[ivxlc]+|[a-z]|\d+)\b|附录)", re.IGNORECASE
)
_CHAPTER_LINE = re.compile(
    rf"^(?:{_COUNT}[章篇编卷]|chapter\s+(?:[ivxlc]+|\d+)\b)[^。；;]*[^。；;，,、:：.]$", re.IGNORECASE
)
_CHAPTER_LENGTH = 60
_SECTION = re.compile(rf"^(?:{_COUNT}节|(?:item|note|section)\s+\d+[a-z]?\b)", re.IGNORECASE)
_NUMBER = re.compile(rf"^(?:§\s*)?((?:\d{{1,3}}|[A-Z](?=\.\d))(?:\.\d{{1,3}})*)\.?(?=[\s\u3000{HAN}]|$)")
_ROMAN = re.compile(rf"^(?:[IVX]+\.\s|[{HAN_TO_TEN}]+[、.．])")
_ITEM = re.compile(rf"^(?:[（(][a-z0-9{HAN_TO_TEN}]{{1,3}}[)）]|[A-Z]\.\s)")
_WORD = re.compile(rf"[^\W\d_]{{3,}}|[{HAN}]{{2,}}")
_LEADERS = re.compile(r"(?:\.\s?){5,}|…{2,}|·{4,}")
_MATHS = re.compile(r"[=<>≤≥⩽⩾≈∈∑∏∫∂±√∞。]")
_RUNNING = 3
"""A heading repeated this often is a table's column head or a running title."""


def refine_headings(blocks: Sequence[Block]) -> list[Block]:
    """Demotes false headings to body text; if the parser gave only one level, levels follow the numbering."""
    promoted = [
        replace(b, level=TOP) if b.type == "text" and not b.level and names_chapter(b.text) else b for b in blocks
    ]
    seen = Counter(one_line(block.text) for block in promoted if block.level)
    contents = _contents(promoted)
    kept = [
        replace(b, level=0) if b.level and (place in contents or not _is_heading(b, seen)) else b
        for place, b in enumerate(promoted)
    ]
    levels = {block.level for block in kept if block.level > 1}
    return _levelled(kept) if len(levels) == 1 else kept


def names_chapter(text: str) -> bool:
    """Whether a line names a chapter by number, which makes it a heading in any font."""
    line = one_line(text) if len(text) <= _CHAPTER_LENGTH else ""
    return bool(_CHAPTER_LINE.match(line)) and not _LEADERS.search(line)


def _contents(blocks: Sequence[Block]) -> set[int]:
    """Indexes of headings that are entries of a table of contents: they appear again later."""
    pages = {block.page for block in blocks if _points(block)}
    last = {one_line(block.text): place for place, block in enumerate(blocks) if block.level}
    return {
        place
        for place, block in enumerate(blocks)
        if block.level and block.page in pages and last[one_line(block.text)] > place
    }


def _points(block: Block) -> bool:
    return block.type == "index" or bool(_LEADERS.search(block.text[-200:]))


def numbered_level(line: str) -> int:
    """Level by the heading's numbering (2 is a main section); 0 without numbering."""
    if _CHAPTER.match(line):
        return TOP
    if _SECTION.match(line) or _ITEM.match(line):
        return TOP + 1
    if _ROMAN.match(line):
        return TOP
    number = _NUMBER.match(line)
    return TOP + number[1].count(".") if number else 0


def _is_heading(block: Block, seen: Counter[str]) -> bool:
    line = one_line(block.text)
    if not _WORD.search(line) or len(line) > _MAX_LENGTH or _LEADERS.search(line) or _MATHS.search(line):
        return False
    if block.level > 1 and seen[line] >= _RUNNING and not numbered_level(line):
        return False
    return line[-1] not in "，、；,;" and not ("，" in line and not numbered_level(line))


def _levelled(blocks: list[Block]) -> list[Block]:
    """Numbered headings at the level of their number, others below the numbered one they follow."""
    numbered = _stated_levels(blocks)
    stated = sum(level > 0 for level in numbered)
    plain = sum(block.level > 1 for block in blocks) - stated
    nests = stated >= 3 and plain > stated
    """A report whose few numbered items each hold many unnumbered headings; in a paper the unnumbered ones are main."""
    levelled: list[Block] = []
    current = 0
    for block, level in zip(blocks, numbered, strict=True):
        if block.level <= 1:
            levelled.append(block)
            continue
        current = level or current
        levelled.append(replace(block, level=level or (current + 1 if nests and current else TOP)))
    return levelled


def _stated_levels(blocks: list[Block]) -> list[int]:
    """numbered_level of every heading, ignoring numbers out of sequence: "52 Weeks Ended" is not section 52."""
    lines = [one_line(block.text) if block.level > 1 else "" for block in blocks]
    chapters = any(_CHAPTER.match(line) for line in lines)
    levels: list[int] = []
    last = 0
    for line in lines:
        level = numbered_level(line) if line else 0
        number = _NUMBER.match(line)
        if number and level == TOP and number[1].isdigit():
            counts_on = not chapters and last < int(number[1]) <= last + 3
            last, level = (int(number[1]), level) if counts_on else (last, 0)
        levels.append(level)
    return levels
