"""Splits passages into quotable sentences and table rows, without headings, references and page furniture."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import lru_cache
from itertools import groupby, pairwise

from core.documents.model import CELL_BREAK, Chunk
from core.platform.language.numbers import HAN_TO_TEN, YEAR
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER, LETTER
from core.platform.language.sentences import sentence_spans
from core.platform.language.stopwords import ENGLISH
from core.platform.language.terms import content_terms
from core.rulebook.assessing.run_on_blocks import joined, run_on
from core.rulebook.assessing.synonyms import implied_terms
from core.rulebook.entities.boilerplate import REFERENCES
from core.search.model import Passage

MAX_QUOTE = 600
"""Characters; a longer sentence is a list or a damaged text and is cut at a clause."""


class Shape(StrEnum):
    SENTENCE = "sentence"
    ROW = "row"
    LINE = "line"
    """Looks like a heading, a label or the remains of a figure: seldom an answer, never for a summary."""


@dataclass(frozen=True, slots=True)
class QuotableSpan:
    """A quotable piece of text. start and end are offsets in the chunk's text."""

    passage: int
    """Position of the passage in the list it came from."""
    start: int
    end: int
    text: str
    """The readable text on one line, a row with its column names."""
    shape: Shape
    terms: frozenset[str]
    under: str = ""
    """The heading or the question right above it."""
    after: int = 0
    """Number of other units between the two."""


_LINE = pattern(r"[^\n]+")
_FURNITURE = pattern(
    r"^\s*(?:page\s*)?\d+(?:\s*/\s*\d+)?\s*$|^\s*第\s*\d+\s*页|©|\bcopyright\b|\ball rights reserved\b"
    r"|\bpermission to (?:make|copy)\b"
    r"|\bpublished as a conference paper\b|\.{6,}|…{3,}|版权所有|^\s*(?:目\s*录|目\s*次"
    r"|table of contents)\s*$",
    re.IGNORECASE,
)
_ADDRESS = pattern(r"\S@\S+\.\w+")
_REFERENCE_MARK = pattern(r"\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]")
ENDS = pattern(r"[.!?。！？；;:：”’\"')）】」』]$")
_BULLET = pattern(rf"^\s*(?:[-•*·▪●○–]|\(?\d{{1,2}}[).](?!\d)|[a-z]\)|（?[{HAN_TO_TEN}]+[）、.])\s*")
_LONG_LINE = 45
"""Columns of a line, two for a Han character, whose sentence may go on in the next one."""
_CLAUSE_ENDS = ",;，；、"
_OF_NUMBERS = "0123456789.,%$()-–+/ "
_FIGURE = r"(?:\$\s?)?\(?\d+(?:,\d{3})*(?:\.\d+)?\)?%?(?!\S)"
_RUN_IN_ROW = pattern(rf"(?P<label>[^\W\d_{HAN}][^\d$|.!?…{HAN}]{{2,80}}?)\s+(?P<figures>{_FIGURE}(?:\s+{_FIGURE})+)")
_RUN_IN_HEADS = pattern(r"(?:19|20)\d\d(?:\s+(?:19|20)\d\d)+(?=\s)")
LABELS = 0.22
"""The share of function words below which a long line without an end is a column of labels: prose has more."""
LONGEST_LABEL = 40
"""Characters before the colon of a labelled number."""
_ALONE = pattern(r"(?:(?<=\n\n)|\A)[^\n]{1,100}(?=\n\n)")
_NO_HEADING = pattern(
    rf"[.。!！;；,，:：、”]$|[:：]\s*\S|[.!?。！？]\s?\S*\w{{2}}.*[^?？]$|[，；]|[{HAN}].{{30}}|^[-•*·▪●○–]"
)
_LONGEST_HEADING = 8
"""Words; a question may have more."""
_OPENING = pattern(rf"(?:[A答][:：]\s*)?(?:[A-Za-z]+[.!]\s*){{1,2}}|(?:[A答][:：]\s*)?[{HAN}]{{1,4}}[。！]")
"""An answer of a word or two that the next sentence explains."""
_MARKDOWN = pattern(r"^#{1,6}\s+")
_CUT_HAN = pattern(rf"(?<=[{HAN}])\s{{2,}}(?=[{HAN}])")


@dataclass(frozen=True, slots=True)
class PassageReading:
    """A passage split into quotable spans, with its terms."""

    units: tuple[QuotableSpan, ...]
    """The units in reading order, their passage being 0; empty for a list of references."""
    headings: frozenset[str]
    """Terms of the headings above it and of its document's name."""
    terms: frozenset[str]
    """Terms of its quotable units and of its headings."""


REMEMBERED = 400
"""Readings cached beyond a run, 8 MB: the next question is mostly about the same documents, and each takes 1 ms."""
Readings = dict[tuple[str, str, str], PassageReading]
"""By name of the document, id and text of the chunk; a run keeps them (`Deps.readings`), so that it reads each passage
once."""


def reading_of(passage: Passage, readings: Readings) -> PassageReading:
    """Returns the cached reading or makes and caches it."""
    key = (passage.document_name, passage.chunk.id, passage.chunk.text)
    if key not in readings:
        readings[key] = _read(passage.document_name, passage.chunk)
    return readings[key]


def units_of(passages: Sequence[Passage], readings: Readings | None = None) -> list[QuotableSpan]:
    """Units of all passages, in reading order."""
    known = {} if readings is None else readings
    return [
        replace(unit, passage=index)
        for index, passage in enumerate(passages)
        for unit in reading_of(passage, known).units
    ]


def heading_terms(document_name: str, chunk: Chunk) -> frozenset[str]:
    """Return the terms of the headings above a passage and of its document's name."""
    return frozenset(content_terms("\n".join((document_name, *chunk.section))))


def starts_with_bullet(raw: str) -> bool:
    return _BULLET.match(raw) is not None


def without_bullet(line: str) -> str:
    return _BULLET.sub("", line)


def readable(text: str) -> str:
    """The text on one line, without reference marks that look like citations, truncated to MAX_QUOTE."""
    whole = _MARKDOWN.sub("", text)
    if HAN_CHARACTER.search(whole):
        whole = _CUT_HAN.sub("", whole)
    line = " ".join(_REFERENCE_MARK.sub(r"(\1)", whole).split())
    if len(line) <= MAX_QUOTE:
        return line
    end = max(line.rfind(sign, MAX_QUOTE // 2, MAX_QUOTE) for sign in _CLAUSE_ENDS)
    return line[: end if end > 0 else MAX_QUOTE].rstrip() + " …"


@lru_cache(REMEMBERED)
def _read(document_name: str, chunk: Chunk) -> PassageReading:
    units, headings = _units(chunk), heading_terms(document_name, chunk)
    own = frozenset[str]().union(*(unit.terms for unit in units)) if units else content_terms(chunk.text)
    return PassageReading(tuple(_answering(units, chunk)), headings, headings.union(own))


def _answering(units: Sequence[QuotableSpan], chunk: Chunk) -> Iterator[QuotableSpan]:
    """Yield the units with the heading or question right above them, which is no unit itself.

    A heading with a number stays a unit, because it may be an answer.
    """
    above = list(_headings(chunk))
    under, after, end = chunk.section[-1] if chunk.section else "", 0, 0
    for unit in units:
        while above and above[0].start() <= unit.start:
            under, after, end = above[0].group().strip(), 0, above[0].end()
            above.pop(0)
        if unit.text.endswith(("?", "？")):
            under, after = (under if unit.end <= end else unit.text), 0
            continue
        if unit.end <= end and not any(map(str.isdigit, unit.text)):
            continue
        yield replace(unit, under=under, after=after)
        after += 1


def _headings(chunk: Chunk) -> Iterator[re.Match[str]]:
    """Lines alone above other text."""
    for line in _ALONE.finditer(chunk.text):
        words = line.group().strip()
        is_short = words.endswith(("?", "？")) or words.count(" ") < _LONGEST_HEADING
        if is_short and not _NO_HEADING.search(words) and not _is_row(words):
            yield line


def _units(chunk: Chunk) -> tuple[QuotableSpan, ...]:
    section, gaps = chunk.section, run_on(chunk)
    if any(REFERENCES.search(heading) for heading in section):
        return ()
    text = joined(chunk.text, gaps)
    found: list[QuotableSpan] = []
    going_on = {start for _, start in gaps}
    breaks = [
        span.start
        for span in chunk.spans
        if span.start and span.start not in going_on and _starts_anew(text, span.start)
    ]
    for lines in _stretches(text):
        if _is_row(text[slice(*lines[0])]):
            found += _rows(text, lines)
        else:
            found += _sentences(text, section, (lines[0][0], lines[-1][1]), breaks)
    return tuple(found)


def _starts_anew(text: str, at: int) -> bool:
    """Whether a block does not continue the preceding sentence."""
    return bool(ENDS.search(text[:at].rstrip()[-1:])) or not text[at : at + 1].islower()


def _is_line_of_its_own(text: str, at: int) -> bool:
    """Whether a line does not continue the one before, which would be long and end without a stop."""
    before = text[:at].rstrip().rpartition("\n")[2]
    columns = len(before) + len(HAN_CHARACTER.findall(before))
    return _starts_anew(text, at) and (columns < _LONG_LINE or bool(ENDS.search(before)))


def _stretches(text: str) -> Iterator[list[tuple[int, int]]]:
    """The lines of the text, as spans, grouped into paragraphs and tables."""
    lines = [match.span() for match in _LINE.finditer(text) if match.group().strip(" |-:")]
    for _, group in groupby(lines, key=lambda line: _is_row(text[slice(*line)])):
        yield list(group)


def _is_row(line: str) -> bool:
    return CELL_BREAK in f"{line} " or line.lstrip().startswith("|")


def _rows(text: str, lines: list[tuple[int, int]]) -> Iterator[QuotableSpan]:
    table = [_cells(text[slice(*line)]) for line in lines]
    names = _column_names(table)
    skipped = len(names)
    columns = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*names, strict=True)] if names else []
    for (start, end), cells in zip(lines[skipped:], table[skipped:], strict=True):
        if line := row_line(cells, columns):
            yield QuotableSpan(0, start, end, line, Shape.ROW, frozenset(content_terms(line)))


def table_row(text: str, start: int, end: int) -> tuple[tuple[str, ...], tuple[str, ...]] | None:
    """(names of the columns, cells) of the row at start..end; None where it is none, or its columns have no names."""
    for lines in _stretches(text):
        if (start, end) not in lines or not _is_row(text[start:end]):
            continue
        table = [_cells(text[slice(*line)]) for line in lines]
        names, cells = _column_names(table), table[lines.index((start, end))]
        columns = [" ".join(dict.fromkeys(filter(None, parts))) for parts in zip(*names, strict=True)]
        return (tuple(columns), tuple(cells)) if len(columns) == len(cells) and cells not in names else None
    return None


def _sentences(text: str, section: tuple[str, ...], span: tuple[int, int], breaks: list[int]) -> Iterator[QuotableSpan]:
    first, last = span
    lines = (
        line.start()
        for line in _LINE.finditer(text, first, last)
        if starts_with_bullet(line.group()) or _is_line_of_its_own(text, line.start())
    )
    edges = sorted({first, *(at for at in (*breaks, *lines) if first < at < last), last})
    for start, end in pairwise(edges):
        for left, right in _with_short_openings(text[start:end]):
            raw = text[start + left : start + right]
            if rows := list(_run_in_rows(raw, start + left)):
                yield from rows
            elif not _is_debris(raw, section):
                line = without_bullet(readable(raw))
                terms = frozenset(content_terms(line)) | implied_terms(line)
                shape = Shape.LINE if _is_fragment(raw) else Shape.SENTENCE
                yield QuotableSpan(0, start + left, start + right, line, shape, terms)


def _with_short_openings(block: str) -> Iterator[tuple[int, int]]:
    """Sentences of a block; "Yes." or "不可以。" belongs to the next one."""
    first = -1
    for left, right in sentence_spans(block):
        first = left if first < 0 else first
        if not _OPENING.fullmatch(block[first:right].strip()):
            yield first, right
            first = -1
    if first >= 0:
        yield first, len(block.rstrip())


def _run_in_rows(raw: str, offset: int) -> Iterator[QuotableSpan]:
    """Yield the rows of a table that a parser left on one line: every label with its figures, each under its year."""
    if ENDS.search(raw):
        return
    heads = _RUN_IN_HEADS.search(raw)
    years = heads.group().split() if heads else []
    rows = list(_RUN_IN_ROW.finditer(raw, heads.end() if heads else 0))
    if len(rows) < (1 if heads else 2):
        return
    for row in rows:
        figures = re.findall(_FIGURE, row["figures"])
        cells = [row["label"].strip(), *figures]
        line = row_line(cells, ["", *years]) if len(figures) == len(years) else readable(row.group())
        yield QuotableSpan(0, offset + row.start(), offset + row.end(), line, Shape.ROW, frozenset(content_terms(line)))


def _is_debris(raw: str, section: tuple[str, ...]) -> bool:
    """Whether a text cannot answer: headings, references, page furniture, remains of figures and tables."""
    line = " ".join(raw.split())
    if _OPENING.fullmatch(line):
        return False
    if _is_heading(line, section) or _FURNITURE.search(line):
        return True
    if _ADDRESS.search(line) and not ENDS.search(line) and not re.search("[:：]", line):
        return True  # of authors or the press: no sentence and no label says whose
    return not _is_labelled_number(line) and _has_few_words(line)


def _has_few_words(line: str) -> bool:
    """Whether figures, single letters or names outweigh the words of a sentence."""
    if len(LETTER.findall(line)) < 0.5 * len(line.replace(" ", "")):
        return True
    if HAN_CHARACTER.search(line):
        return len(line) < 6
    words = line.split()
    labels = sum(word.casefold() in ENGLISH for word in words) < LABELS * len(words)
    short = sum(len(word) <= 2 for word in words) > 0.6 * len(words)
    return len(words) < 3 or short or (len(words) > 20 and labels and not ENDS.search(line))


def _is_labelled_number(line: str) -> bool:
    """Whether a line, however short, labels a number: "Fax: 202-493-2251"."""
    label, _, value = line.replace("：", ":").partition(":")
    return len(label) <= LONGEST_LABEL and any(map(str.isalpha, label)) and any(map(str.isdigit, value))


def _is_heading(line: str, section: tuple[str, ...]) -> bool:
    plain = _MARKDOWN.sub("", line)
    return plain != line or any(plain.casefold() == " ".join(heading.split()).casefold() for heading in section)


def _is_fragment(raw: str) -> bool:
    """Whether a text is a title, a label or a line of a form: without a full stop, and short or in capitals."""
    line = " ".join(raw.split())
    words = line.split()
    if ENDS.search(line):
        return len(words) < 4 and not HAN_CHARACTER.search(line)
    if HAN_CHARACTER.search(line):
        return len(line) < 16
    capitals = 5 * sum(word[:1].isupper() for word in words) >= 3 * len(words)
    return capitals or (len(words) < 9 and not starts_with_bullet(raw))


def _column_names(table: list[list[str]]) -> list[list[str]]:
    """The rows above the data that name the columns: none, one, or two where cells span rows."""
    if len(table) < 2 or not names_columns(table[0]):
        return []
    width = len(table[0])
    if len(table) > 2 and len(table[1]) == width and names_columns(table[1]):
        repeated = sum(a == b and bool(a) for a, b in zip(table[0], table[1], strict=True))
        spanned = len(set(table[0])) < len(table[0])
        if repeated and spanned:
            return table[:2]
    return table[:1]


def names_columns(cells: list[str]) -> bool:
    """Whether cells name columns: distinct years do, other numbers are data."""
    filled = [cell for cell in cells if cell]
    numbers = [cell for cell in filled if _is_number(cell)]
    are_years = 1 < len(set(numbers)) == len(numbers) < len(filled) and all(map(YEAR.fullmatch, numbers))
    return len(filled) > 1 and (are_years or 3 * len(numbers) <= len(filled))


def _is_number(cell: str) -> bool:
    return any(map(str.isdigit, cell)) and not cell.strip(_OF_NUMBERS)


def row_line(cells: Sequence[str], columns: Sequence[str]) -> str:
    """The row on one line, every cell under its column's name."""
    if len([cell for cell in cells if cell]) < 2:
        return ""
    if len(columns) != len(cells):
        return readable(CELL_BREAK.join(dict.fromkeys(cell for cell in cells if cell)))
    pairs = [f"{name}: {cell}" if name else cell for name, cell in zip(columns, cells, strict=True) if cell]
    return readable("; ".join(dict.fromkeys(pairs)))


def _cells(row: str) -> list[str]:
    return [" ".join(cell.split()) for cell in row.strip().strip("|").split("|")]
