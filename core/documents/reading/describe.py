"""Title and language of a document, from its contents and properties."""

import re
from collections.abc import Sequence
from pathlib import PurePath

from core.documents.model import Block
from core.documents.reading.assemble import TextPiece
from core.documents.reading.normalise import one_line
from core.platform.language.detect import document_language
from core.platform.language.scripts import HAN

_LONGEST = 200
_SAMPLE = 4000
_WORD = re.compile(rf"[^\W\d_]{{3,}}|[{HAN}]{{2,}}")
_MACHINE_MADE = re.compile(
    r"^(?:microsoft (?:word|powerpoint|excel)\b|untitled(?:\b|\d+$)|无标题|未命名|document\d*$"
    r"|.+\.(?:docx?|pptx?|xlsx?|pdf|tex|dvi|indd|qxd|html?)$)",
    re.IGNORECASE,
)


def title_of(blocks: Sequence[Block], declared: str, name: str) -> str:
    """The title on the first pages, else that of the file's properties, else the file name without its extension."""
    headed = next((block.text for block in blocks if block.level == 1 and block.page <= 1), "")
    for candidate in (headed, declared):
        title = one_line(candidate)
        if _WORD.search(title) and len(title) <= _LONGEST and not _MACHINE_MADE.match(title):
            return title
    return one_line(PurePath(name.replace("\\", "/")).stem)[:_LONGEST] or one_line(name)[:_LONGEST]


def language_of(pieces: Sequence[TextPiece]) -> str:
    """Language of the prose after the first third: covers and front matter are often in another language."""
    prose = [piece.text for piece in pieces if piece.kind in ("text", "list")] or [piece.text for piece in pieces]
    text = "\n".join(prose)
    start = len(text) // 3 if len(text) > 3 * _SAMPLE else 0
    return document_language(text[start : start + _SAMPLE])
