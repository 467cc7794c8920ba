"""Splits English, Chinese and mixed text into sentence spans, so that a quote can be traced back to its page."""

import re
from collections.abc import Iterator

from core.platform.language.numbers import HAN_TO_TEN, MONTH_ABBREVIATIONS
from core.platform.language.stopwords import ENGLISH

_ABBREVIATIONS = re.compile(
    r"(?:\b(?:e\.g|i\.e|cf|vs|et al|etc|Fig|Figs|Eq|Eqs|Sec|Tab|No|Nos|Dr|Mr|Mrs|Ms|Prof|Inc|Ltd|Co|Corp|St|Jr|Sr|U\.S"
    rf"|approx|resp|pp|vol|Art|Ref|{MONTH_ABBREVIATIONS})|(?<!°)(?<!° )\b[A-Z])\.$"
)
_MAY_END = re.compile(r"\b(?:etc|Inc|Ltd|Co|Corp|Jr|Sr|(?:[A-Z]\.)+[A-Z])\.$")
_INNER_DOTS = re.compile(r"\b(?:[A-Za-z]\.)+[A-Za-z]\.$")
_GOES_ON = re.compile(r"\s+[a-z]")
_NEXT_WORD = re.compile(r"\s+(I\b|[A-Z][a-z']+)(?!\.)")
_OPENERS = ENGLISH - {"an", "do", "don", "he", "may", "shan", "so", "will", "you"}
"""Function words, with which a sentence begins; those left out are surnames, too: "A.B. He"."""
_BEFORE_DOT = 40
"""Characters before a dot that are looked at."""
_REFERENCE = r"(?: ?\[\d{1,3}(?:[,–-] ?\d{1,3})*\])*"
"""The mark of a reference behind a sentence belongs to it."""
_ITEM = rf"[-•*|#]|[{HAN_TO_TEN}]{{1,3}}、"
_END = re.compile(rf"[。！？；]+[”’」』）]*|(?<![.!?])[.!?]+[\"'”’)\]]*{_REFERENCE}(?=\s|$)|\n{{2,}}|\n(?={_ITEM})")
_LINE = re.compile(r"[^\n]+")
_MARKS = ".。!！?？;；"


def sentence_spans(text: str) -> Iterator[tuple[int, int]]:
    """(start, end) of every sentence without surrounding white space, in order."""
    start = 0
    for match in _END.finditer(text):
        told = text[max(start, match.start() - _BEFORE_DOT) : match.start() + 1]
        if match.group()[0] == "." and _is_of_an_abbreviation(told, text, match.end()):
            continue
        yield from _trimmed(text, start, match.end())
        start = match.end()
    yield from _trimmed(text, start, len(text))


def row_spans(text: str, cell_break: str) -> Iterator[tuple[int, int]]:
    """As sentence_spans(), but each row of a table, whose cells the break separates, is one of its own."""
    for start, end in sentence_spans(text):
        is_table = cell_break in text[start:end]
        for line in _LINE.finditer(text, start, end) if is_table else ():
            yield from _trimmed(text, *line.span())
        if not is_table:
            yield start, end


def sentences(text: str) -> list[str]:
    return [text[start:end] for start, end in sentence_spans(text)]


def introduces(sentence: str) -> bool:
    """Whether it ends in a colon: what it announces follows."""
    return sentence.rstrip().endswith((":", "："))


def before_closing_marks(sentence: str) -> int:
    """The offset behind the last character that is neither white space nor a mark that ends a sentence."""
    end = len(sentence)
    while end and (sentence[end - 1].isspace() or sentence[end - 1] in _MARKS):
        end -= 1
    return end


def _is_of_an_abbreviation(told: str, text: str, at: int) -> bool:
    """Whether the dot that ends what is told ends no sentence: behind it, at the place, the text goes on.

    Behind some a function word with a capital letter begins a sentence: "from Washington D.C. The".
    """
    if _ABBREVIATIONS.search(told):
        following = _NEXT_WORD.match(text, at) if _MAY_END.search(told) else None
        return following is None or following[1].casefold() not in _OPENERS
    return bool(_INNER_DOTS.search(told) and _GOES_ON.match(text, at))


def _trimmed(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    piece = text[start:end]
    left = start + len(piece) - len(piece.lstrip())
    right = start + len(piece.rstrip())
    if right > left:
        yield left, right
