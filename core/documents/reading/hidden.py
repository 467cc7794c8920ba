"""Takes hidden text out of the blocks of a document, into blocks of their own. Pure functions."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from core.documents.model import Block
from core.documents.reading.blocks import FURNITURE

HIDDEN = "hidden"
"""Type of a block with text that nobody sees on the page."""
HIDDEN_TEXT = "ingest.note.hidden_text"
"""Note for the reader of a document."""
_LEAST = 12
"""Characters without blanks; shorter hidden texts are layout, or could be mistaken for visible ones."""
_LONGEST = 400
"""Longer lines are looked for in pieces, which bounds the cost of a hostile one."""


def with_hidden_apart(blocks: Sequence[Block], hidden: Mapping[int, Sequence[str]]) -> list[Block]:
    """The blocks, numbered anew; hidden texts (by page) that were in them are in a block at the end of their page.

    What repeats on every page is left alone, because it is no part of the running text.
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
    lines = [line[start : start + _LONGEST] for line in whole for start in range(0, len(line), _LONGEST)]
    marks = [(line, line.replace(" ", "")) for line in lines]
    return [(re.compile(r"\s*".join(map(re.escape, mark))), line) for line, mark in marks if len(mark) >= _LEAST]
