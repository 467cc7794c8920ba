"""Quoted text as HTML: the words that matter marked, tables drawn as tables."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from core.documents.model import CELL_BREAK
from core.rulebook.quotes import names_columns
from pages.components.shell.text import NO_HTML, Draw, Html, clean, escaped, render

MAX_QUOTE = 1_200
_EMPTY_LINES = re.compile(r"\n\s*\n")
"""Separators without meaning in a list."""


def passage_html(text: str, words: Sequence[str] = (), limit: int = MAX_QUOTE, draw: Draw = escaped) -> Html:
    """Paragraphs and tables, with the words marked; a row that is one of the words is marked as a whole.

    Lines of equally many cells under one another are a table, whose first line may name the columns. draw: for all
    words, marked or not.
    """
    lines = clean(_EMPTY_LINES.sub("\n", text), limit).split("\n")
    return NO_HTML.join(
        _table(part, words, draw) if cells > 1 and len(part) > 1 else _paragraph(part, words, draw)
        for cells, part in _parts(lines)
    )


def _paragraph(lines: Sequence[str], words: Sequence[str], draw: Draw) -> Html:
    text = "\n".join(lines)
    return render("documents/quote.html", "paragraph", quoted=quote_html(text, words, len(text), draw))


def _parts(lines: Sequence[str]) -> Iterator[tuple[int, list[str]]]:
    """(cells in each of the lines, lines), a line with a different number of cells beginning a new part."""
    for cells, group in groupby(lines, lambda line: len(_cells(line))):
        yield cells, list(group)


def _table(lines: Sequence[str], words: Sequence[str], draw: Draw) -> Html:
    """Table of the lines; without a header if the first has figures, or the rows name their columns ("price: 12")."""
    marked = {word.strip(CELL_BREAK) for word in words}  # a quote ends before empty cells
    drawn = [[_cell(cell, line.strip(CELL_BREAK) in marked, words, draw) for cell in _cells(line)] for line in lines]
    first = _cells(lines[0])
    has_head = (names_columns(first) or not first[0]) and not all(": " in cell for cell in first)
    head = drawn.pop(0) if has_head else []
    return render("documents/quote.html", "table", head=head, rows=drawn)


def _cells(line: str) -> list[str]:
    """Cells of a row; blanks around the line, which a first or last empty cell needs, are not kept in a text."""
    return [cell.strip() for cell in f" {line} ".split(CELL_BREAK)]


def _cell(cell: str, is_marked: bool, words: Sequence[str], draw: Draw) -> Html:
    return _marked([(draw(cell), True)]) if is_marked else quote_html(cell, words, draw=draw)


def quote_html(text: str, words: Sequence[str], limit: int = MAX_QUOTE, draw: Draw = escaped) -> Html:
    """The text, escaped, the words marked where a word begins with them, regardless of case; longer words win."""
    source = clean(text, limit)
    pattern = _any_of(words)
    if not pattern:
        return draw(source)
    pieces: list[tuple[Html, bool]] = []
    end = 0
    for match in pattern.finditer(source):
        pieces += [(draw(source[end : match.start()]), False), (draw(match.group()), True)]
        end = match.end()
    return _marked([*pieces, (draw(source[end:]), False)])


def _marked(pieces: Sequence[tuple[Html, bool]]) -> Html:
    return render("documents/quote.html", "marked", pieces=pieces)


def _any_of(words: Sequence[str]) -> re.Pattern[str] | None:
    wanted = sorted({word for word in words if word.strip()}, key=lambda word: (-len(word), word))
    return re.compile("|".join(map(_beginning, wanted)), re.IGNORECASE) if wanted else None


def _beginning(word: str) -> str:
    """Pattern of a word's beginning; not after a Latin letter, as in "RoBERTa" for "BERT"."""
    return ("(?<![A-Za-z0-9])" if word[:1].isascii() and word[:1].isalnum() else "") + re.escape(word)


def place_of(text: str, words: Sequence[str]) -> tuple[int, int]:
    """Span of the first of the words; (0, 0) if none occurs."""
    pattern = _any_of(words)
    found = pattern.search(text) if pattern else None
    return found.span() if found else (0, 0)


def around(text: str, words: Sequence[str], width: int = 320) -> str:
    """About `width` characters of the text around the first of the words, cut at spaces where there are any."""
    return around_each(text, [words], width)


def around_each(text: str, names: Sequence[Sequence[str]], width: int = 320) -> str:
    """Text around each of the names as in around(), in the order of the text; overlapping pieces are merged."""
    pieces: list[tuple[int, int]] = []
    for start, end in sorted(_window(text, place_of(text, words), width) for words in names):
        if pieces and start <= pieces[-1][1] + 1:
            pieces[-1] = (pieces[-1][0], max(end, pieces[-1][1]))
        else:
            pieces.append((start, end))
    (first, _), (_, last) = pieces[0], pieces[-1]
    words = " … ".join(text[start:end].strip() for start, end in pieces)
    return f"{'…' if first else ''}{words}{'…' if last < len(text) else ''}"


def _window(text: str, place: tuple[int, int], width: int) -> tuple[int, int]:
    at, after = place
    start = max(at - width // 2, 0)
    end = min(start + width, len(text))
    if start:
        space = text.find(" ", start, at)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", after, end)
        end = space if space >= 0 else end
    return start, end
