"""Blocks of a parser made fit for the later stages: normalised text, boxes in range, hidden text in blocks of its own.

Pure functions.
"""

import re
import statistics
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from core.documents.model import CELL_BREAK, Block, Box
from core.documents.reading.normalise import code_text, display_text, one_line

FURNITURE = frozenset({"header", "footer", "page_number", "aside_text", "discarded"})
"""Types of blocks repeated on every page; kept as blocks, left out of the running text."""
_LINES = frozenset({"list", "index", "table", "chart"})
_PAGE_NUMBER = re.compile(
    r"[-–—·\s]*(?:\d{1,4}|[ivxlc]{1,7}|第\s*\d+\s*页[\s,，/]*共\s*\d+\s*页|page\s+\d+(?:\s+of\s+\d+)?)[-–—·\s]*",
    re.IGNORECASE,
)
_LEADERS = re.compile(r" ?(?:[.·…] ?){4,}")
_MARGIN = 85
"""Height of the top and bottom margins, in thousandths of the page."""
_COUNTING_PAGES = 3
_SAME_HEIGHT = 8
"""Thousandths of the page by which a running line varies in height."""
_NUMBER = re.compile(r"[0-9]{1,9}")
_NO_LETTERS = re.compile(r"[\W\d_]+")
HIDDEN = "hidden"
"""Type of a block with text that is invisible on the page."""
HIDDEN_TEXT = "ingest.note.hidden_text"
"""Note for the reader of a document."""
_LEAST_HIDDEN = 12
"""Characters without blanks; shorter hidden texts are layout, or could be mistaken for visible ones."""
_LONGEST_HIDDEN = 400
"""Longer lines are searched in pieces, which bounds the cost of a hostile one."""


def clean_blocks(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Blocks with normalised text, numbered from 0; page numbers are recognised as such."""
    clean = [replace(_clean(block), index=index) for index, block in enumerate(blocks)]
    numbers = _counting(clean)
    return tuple(
        replace(block, type="page_number", level=0) if block.index in numbers or _numbers_page(block) else block
        for block in clean
    )


def _clean(block: Block) -> Block:
    if block.type == "code":
        text = code_text(block.text)
    else:
        text = _lines(block.text) if block.type in _LINES else one_line(block.text)
        text = _LEADERS.sub(" … ", text).rstrip()
    return replace(block, text=text, html=display_text(block.html), box=_sane(block.box), page=max(0, block.page))


def _numbers_page(block: Block) -> bool:
    """Whether it is a lone number in the margin that the parser took for text."""
    if block.type != "text" or block.box is None or not _PAGE_NUMBER.fullmatch(block.text):
        return False
    return _margin_of(block.box) != ""


def _margin_of(box: Box) -> str:
    """header, footer or "" for the body of the page."""
    return "header" if box[3] <= _MARGIN else "footer" if box[1] >= 1000 - _MARGIN else ""


def with_running_lines(blocks: Sequence[Block]) -> list[Block]:
    """The blocks, those whose words recur at the same height in the margin of three pages as headers and footers."""
    alike: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for place, block in enumerate(blocks):
        margin = _margin_of(block.box) if block.type == "text" and block.box else ""
        if block.box and margin and (words := _NO_LETTERS.sub(" ", block.text.casefold()).strip()):
            alike.setdefault((margin, words), []).append((place, block.box[1]))
    marked = list(blocks)
    for (margin, _), found in alike.items():
        usual = statistics.median(top for _, top in found)
        level = [place for place, top in found if abs(top - usual) <= _SAME_HEIGHT]
        run = [blocks[place] for place in level]
        if len({block.page for block in run}) >= _COUNTING_PAGES and _goes_with_pages(run):
            for place in level:
                marked[place] = replace(blocks[place], type=margin, level=0)
    return marked


def _goes_with_pages(blocks: Sequence[Block]) -> bool:
    """Whether texts that are alike but for numbers differ by the number of the page, as "Invoice 7041" does not."""
    if len({block.text for block in blocks}) == 1:
        return True
    numbers = [(_NUMBER.findall(block.text), block.page) for block in blocks]
    if any(block.level for block in blocks) or not all(found for found, _ in numbers):
        return False
    return any(len({int(found[at]) - page for found, page in numbers}) == 1 for at in (0, -1))


def _counting(blocks: Sequence[Block]) -> set[int]:
    """Indexes of lone numbers, one per page, that increase with the pages, wherever they are placed."""
    lowest: dict[tuple[int, int], Block] = {}
    for block in blocks:
        if block.type == "text" and block.text.isascii() and block.text.isdigit() and len(block.text) <= 4:
            lowest[int(block.text) - block.page, block.page] = block
    distances = Counter(distance for distance, _ in lowest)
    counting = {distance for distance, pages in distances.most_common(1) if pages >= _COUNTING_PAGES}
    return {block.index for (distance, _), block in lowest.items() if distance in counting}


def _lines(raw: str) -> str:
    """Normalises line by line, keeping indentation, which shows the depth of list items."""
    lines = []
    for line in raw.splitlines():
        depth = len(line) - len(line.lstrip(" "))
        if text := CELL_BREAK.join(one_line(cell) for cell in line.split(CELL_BREAK)).strip():
            lines.append(" " * min(depth, 40) + text)
    return "\n".join(lines)


def _sane(box: Box | None) -> Box | None:
    """The box clipped to the page with its corners in order; None if it has no area."""
    if box is None:
        return None
    left, top, right, bottom = (min(1000, max(0, value)) for value in box)
    left, right = sorted((left, right))
    top, bottom = sorted((top, bottom))
    return (left, top, right, bottom) if right > left and bottom > top else None


def with_hidden_apart(blocks: Sequence[Block], hidden: Mapping[int, Sequence[str]]) -> list[Block]:
    """The blocks, renumbered, with their hidden texts moved to a block at the end of each page. hidden: texts by page.

    Page furniture is left as it is, because it is no part of the running text.
    """
    patterns = {page: _patterns(texts) for page, texts in hidden.items()}
    kept: list[Block] = []
    taken: dict[int, list[str]] = {}
    for block in blocks:
        text = block.text
        for pattern, words in () if block.type in FURNITURE else patterns.get(block.page, ()):
            text, times = pattern.subn(" ", text)
            taken.setdefault(block.page, []).extend([words] if times else [])
        if text == block.text:
            kept.append(block)
        elif text.strip():
            kept.append(replace(block, text=text.strip(), html=""))
    kept += [Block(0, page, HIDDEN, " ".join(dict.fromkeys(found))) for page, found in taken.items() if found]
    kept.sort(key=lambda block: block.page)
    return [replace(block, index=index) for index, block in enumerate(kept)]


def _patterns(texts: Sequence[str]) -> list[tuple[re.Pattern[str], str]]:
    """(pattern, text on one line) of every text that is long enough; blanks may be anywhere."""
    whole = (" ".join(text.split()) for text in texts)
    lines = [line[start : start + _LONGEST_HIDDEN] for line in whole for start in range(0, len(line), _LONGEST_HIDDEN)]
    marks = [(line, line.replace(" ", "")) for line in lines]
    return [(re.compile(r"\s*".join(map(re.escape, mark))), line) for line, mark in marks if len(mark) >= _LEAST_HIDDEN]
