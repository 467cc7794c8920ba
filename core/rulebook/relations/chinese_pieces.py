"""Splits Chinese sentences into clauses, and these into words, entities and marks."""

import re
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from typing import NamedTuple

from core.graph.model import ExtractedName
from core.rulebook.relations.chinese_segmentation import Dictionary, SegmentedWord, segment

_CLAUSE = re.compile(r"[，,；;：:。！？!?\n|“”\"]|(?P<opens>[（(])|(?P<closes>[）)])")
QUOTES = '“”"《》〈〉「」『』'
"""Signs around a name that separate nothing."""
HAN = re.compile(r"[\u3400-\u9fff]+")
_RUN = re.compile(rf"(?P<date>(?:\d+\s*[年月日号]\s*)+)|{HAN.pattern}")
OPEN = re.compile(
    r"[不没未拟将欲若应须需会能可]|没有|尚未|否认|计划|可能|或许|有望|拒绝|考虑|打算|希望|如果|假如|应当|应该|必须|要求|禁止|涉嫌|据传|传闻|疑似"
)
"""Words for what is denied, planned, possible, demanded or only rumoured."""
TOWARDS = frozenset({"为", "成", "成为", "于", "在", "至", "到", "给", "向", "入", "出"})
"""After a verb they are part of it."""
AND = frozenset({"、", "和", "与", "及", "以及", "暨"})
WITH = frozenset({"与", "同", "跟"})
IS = frozenset({"是", "为", "系", "乃"})
SERVE = frozenset({"任", "担任", "出任", "兼任", "就任", "历任", "现任"})
LONGEST_TITLE = 8


class Piece(NamedTuple):
    start: int
    end: int
    text: str
    tag: str
    """jieba's, "E" for an entity, "w" for a mark."""
    entity: ExtractedName | None = None


def clauses_of(text: str, start: int, end: int, entities: Sequence[ExtractedName]) -> Iterator[tuple[int, int, bool]]:
    """(start, end, whether in brackets) of each clause."""
    at, depth = start, 0
    for mark in _CLAUSE.finditer(text, start, end):
        beside = mark.group() in QUOTES
        if any(each.start < mark.end() + beside and mark.start() < each.end + beside for each in entities):
            continue
        if mark.start() > at:
            yield at, mark.start(), depth > 0
        depth = max(0, depth + (1 if mark["opens"] else -1 if mark["closes"] else 0))
        at = mark.end()
    if end > at:
        yield at, end, depth > 0


def pieces_of(
    text: str, start: int, end: int, entities: Sequence[ExtractedName], dictionary: Dictionary
) -> Iterator[Piece]:
    at = start
    for entity in entities:
        yield from _plain(text, at, entity.start, dictionary)
        yield Piece(entity.start, entity.end, text[entity.start : entity.end], "E", entity)
        at = entity.end
    yield from _plain(text, at, end, dictionary)


def _plain(text: str, start: int, end: int, dictionary: Dictionary) -> Iterator[Piece]:
    at = start
    for run in _RUN.finditer(text, start, end):
        yield from _mark(text, at, run.start())
        if run["date"]:
            yield Piece(*run.span(), run.group(), "t")
        else:
            yield from _with_at(list(segment(text, *run.span(), dictionary)))
        at = run.end()
    yield from _mark(text, at, end)


def _mark(text: str, start: int, end: int) -> Iterator[Piece]:
    """What stands between words, but for quotes; 《A》《B》 is a list."""
    between = text[start:end].strip()
    mark = "、" if between == "》《" else between.strip(QUOTES).strip()
    if mark:
        yield Piece(start, end, mark, "w")


def _with_at(words: Sequence[SegmentedWord]) -> Iterator[Piece]:
    """毕业 and 于 are one verb, whatever the dictionary takes 毕业 for."""
    joined = False
    for word, following in zip_longest(words, words[1:]):
        if joined:
            joined = False
        elif following is not None and following.text == "于" and word.tag[0] in "nv" and len(word.text) > 1:
            joined = True
            yield Piece(word.start, following.end, word.text + "于", "v")
        else:
            yield Piece(*word)


def is_verb(piece: Piece) -> bool:
    """就读于 is a noun to the dictionary, 坐落在 an idiom."""
    at = len(piece.text) > 1 and piece.text.endswith(("于", "在")) and piece.tag[0] in "nvdi"
    return (piece.tag[0] == "v" and piece.tag != "vn") or at or piece.text in IS or piece.text in SERVE


def group_from(pieces: Sequence[Piece], number: int) -> tuple[list[ExtractedName], int]:
    """Entities joined by "and" from here on, and where they end."""
    found: list[ExtractedName] = []
    while number < len(pieces) and (entity := pieces[number].entity):
        found.append(entity)
        number += 1
        if number + 1 < len(pieces) and pieces[number].text in AND and pieces[number + 1].entity:
            number += 1
        else:
            break
    return found, number


def last_group(phrase: Sequence[Piece]) -> list[ExtractedName]:
    found: list[ExtractedName] = []
    for piece in reversed(phrase):
        if piece.entity:
            found.insert(0, piece.entity)
        elif piece.text not in AND:
            break
    joined = any(piece.text in AND for piece in phrase)
    return found if joined else found[-1:]


def phrase_end(pieces: Sequence[Piece], number: int) -> int:
    """Return the end of the noun phrase that begins here."""
    while number < len(pieces) and (
        pieces[number].entity
        or pieces[number].tag[0] in ("n", "a", "b", "m", "q", "s", "j", "l", "x", "r")
        or pieces[number].text in AND
    ):
        number += 1
    return number
