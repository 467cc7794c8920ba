"""What a document and its main sections are about, in their own sentences: the first and the most central ones."""

import math
import re
from collections import Counter
from collections.abc import Sequence

from core.domain.documents import Summary
from core.domain.ids import content_id
from core.ingest.assemble import FORMULA, Piece
from core.ingest.normalise import weight
from core.language.sentences import sentences
from core.language.terms import content_terms

_DOCUMENT_WEIGHT = 1000
_SECTION_WEIGHT = 600
_SMALL_SECTION = 600
"""A section this light is its own summary; its chunk says the same."""
_MAX_SECTIONS = 80
_MAX_SENTENCES = 4000
_SHORTEST, _LONGEST = 60, 420
_LETTER_SHARE = 0.75
_REFERENCES = re.compile(
    r"^\W*(?:[\dIVX.]+\s*)?(?:references|bibliography|参考文献|參考文獻|目录|目錄|contents|table of contents)\W*$", re.I
)
_ABSTRACT = re.compile(
    r"^\W*(?:[\dIVX.]+\s*)?(?:abstract|summary|executive summary|摘\s*要|内容提要|概\s*述)\W*$", re.I
)


def summarise(document_id: str, pieces: Sequence[Piece]) -> list[Summary]:
    """The document's summary first, then those of its main sections in reading order."""
    prose = [piece for piece in pieces if piece.kind == "text" and not _is_listing(piece)]
    opening = [piece for piece in prose if any(_ABSTRACT.match(name) for name in piece.section)]
    summaries = [
        _summary(document_id, (), _digest(_usable(opening)[:6] or _usable(prose)[:2], prose, _DOCUMENT_WEIGHT))
    ]
    sections: dict[tuple[str, ...], list[Piece]] = {}
    for piece in prose:
        if piece.section:
            sections.setdefault(piece.section[:1], []).append(piece)
    for section, own in list(sections.items())[:_MAX_SECTIONS]:
        if sum(weight(piece.text) for piece in own) > _SMALL_SECTION:
            summaries.append(_summary(document_id, section, _digest(_usable(own)[:2], own, _SECTION_WEIGHT)))
    return [summary for summary in summaries if summary.text]


def _is_listing(piece: Piece) -> bool:
    return any(_REFERENCES.match(name) for name in piece.section)


def _summary(document_id: str, section: tuple[str, ...], text: str) -> Summary:
    return Summary(content_id("summary", document_id, *section), document_id, section, text)


def _digest(leads: Sequence[str], pieces: Sequence[Piece], room: int) -> str:
    """The sentences that lead, then the most central ones, all in reading order."""
    candidates = _usable(pieces)[:_MAX_SENTENCES]
    counts = Counter(term for sentence in candidates for term in set(content_terms(sentence)))
    ranked = sorted(candidates, key=lambda sentence: -_centrality(sentence, counts))
    chosen: list[str] = []
    for sentence in dict.fromkeys([*leads, *ranked]):
        if weight(sentence) <= room:
            chosen.append(sentence)
            room -= weight(sentence)
    order = {sentence: number for number, sentence in reversed(list(enumerate(candidates)))}
    chosen.sort(key=lambda sentence: order.get(sentence, -1))
    return "\n".join(chosen)


def _usable(pieces: Sequence[Piece]) -> list[str]:
    return [
        sentence
        for piece in pieces
        for sentence in sentences(piece.text)
        if _SHORTEST <= weight(sentence) <= _LONGEST and _is_prose(sentence)
    ]


def _is_prose(sentence: str) -> bool:
    """Words rather than figures and formulas."""
    letters = sum(character.isalpha() for character in sentence)
    return FORMULA not in sentence and letters >= _LETTER_SHARE * len(sentence.replace(" ", ""))


def _centrality(sentence: str, counts: Counter[str]) -> float:
    """How much its words are those of the whole; length alone gains little."""
    words = set(content_terms(sentence))
    return sum(math.log1p(counts[word]) for word in words if counts[word] > 1) / (math.pow(len(words), 0.7) + 4)
