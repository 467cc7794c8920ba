"""Extractive summaries of a document and its main sections: leading and most central sentences."""

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.documents.model import Summary
from core.documents.reading.assemble import FORMULA, TextPiece
from core.documents.reading.normalise import weight
from core.platform.ids import content_id
from core.platform.language.sentences import sentences
from core.platform.language.terms import content_terms

_DOCUMENT_WEIGHT = 1000
_SECTION_WEIGHT = 600
_SOURCE_WEIGHT = 1_800
"""Weight of a section's beginning in the model's prompt, in addition to the selected sentences."""
_SMALL_SECTION = 600
"""A section shorter than this is its own summary; its chunk says the same."""
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


_Usable = tuple[TextPiece, list[str]]
"""A piece and its sentences that may stand in a summary."""


@dataclass(frozen=True, slots=True)
class SummaryDraft:
    """An extractive summary, and the source text for a model to write a better one."""

    summary: Summary
    source: str


def summarise(document_id: str, pieces: Sequence[TextPiece]) -> list[Summary]:
    """The document's summary first, then those of its main sections in reading order."""
    return [draft.summary for draft in drafts(document_id, pieces)]


def digest(text: str) -> str:
    """Leading and most central sentences of a text, in reading order."""
    usable = _usable(text)
    return _digest(usable[:2], usable, _SECTION_WEIGHT)


def drafts(document_id: str, pieces: Sequence[TextPiece]) -> list[SummaryDraft]:
    """As summarise(), with the source text of each."""
    texts = (piece for piece in pieces if piece.kind == "text")
    prose = [piece for piece in texts if not any(_REFERENCES.match(name) for name in piece.section)]
    usable = [(piece, _usable(piece.text)) for piece in prose]
    opening = [part for part in usable if any(_ABSTRACT.match(name) for name in part[0].section)]
    leads = _joined(opening)[:6] or _joined(usable)[:2]
    beginning = [piece for piece, _ in opening or usable]
    found = [_draft(document_id, (), _digest(leads, _joined(usable), _DOCUMENT_WEIGHT), beginning)]
    sections: dict[tuple[str, ...], list[_Usable]] = {}
    for part in usable:
        if section := part[0].section:
            sections.setdefault(section[:1], []).append(part)
    for section, own in list(sections.items())[:_MAX_SECTIONS]:
        if sum(weight(piece.text) for piece, _ in own) > _SMALL_SECTION:
            said = _joined(own)
            text = _digest(said[:2], said, _SECTION_WEIGHT)
            found.append(_draft(document_id, section, text, [piece for piece, _ in own]))
    return [draft for draft in found if draft.summary.text]


def _draft(document_id: str, section: tuple[str, ...], text: str, pieces: Sequence[TextPiece]) -> SummaryDraft:
    summary = Summary(content_id("summary", document_id, *section), document_id, section, text)
    return SummaryDraft(summary, f"{_beginning(pieces)}\n{text}")


def _beginning(pieces: Sequence[TextPiece]) -> str:
    """Whole paragraphs up to _SOURCE_WEIGHT, or the first one truncated to it."""
    taken: list[str] = []
    room = _SOURCE_WEIGHT
    for piece in pieces:
        if taken and weight(piece.text) > room:
            break
        taken.append(piece.text[:room])
        room -= weight(piece.text)
    return "\n".join(taken)


def _digest(leads: Sequence[str], usable: Sequence[str], room: int) -> str:
    """Leading and most central sentences, in reading order."""
    candidates = usable[:_MAX_SENTENCES]
    every = dict.fromkeys([*leads, *candidates])
    ranked = every if sum(map(weight, every)) <= room else _ranked(candidates)
    chosen: list[str] = []
    for sentence in dict.fromkeys([*leads, *ranked]):
        if weight(sentence) <= room:
            chosen.append(sentence)
            room -= weight(sentence)
    order = {sentence: number for number, sentence in reversed(list(enumerate(candidates)))}
    chosen.sort(key=lambda sentence: order.get(sentence, -1))
    return "\n".join(chosen)


def _ranked(candidates: Sequence[str]) -> Sequence[str]:
    """The most central first."""
    counts = Counter(term for sentence in candidates for term in set(content_terms(sentence)))
    return sorted(candidates, key=lambda sentence: -_centrality(sentence, counts))


def _usable(text: str) -> list[str]:
    """Sentences of prose of ordinary length."""
    return [each for each in sentences(text) if _SHORTEST <= weight(each) <= _LONGEST and _is_prose(each)]


def _joined(parts: Sequence[_Usable]) -> list[str]:
    return [sentence for _, own in parts for sentence in own]


def _is_prose(sentence: str) -> bool:
    """Whether the text is words rather than figures and formulas."""
    letters = sum(map(str.isalpha, sentence))
    return FORMULA not in sentence and letters >= _LETTER_SHARE * len(sentence.replace(" ", ""))


def _centrality(sentence: str, counts: Counter[str]) -> float:
    """How well the sentence's words represent the whole text; length adds little. Whatever the order of the set."""
    words = set(content_terms(sentence))
    return math.fsum(math.log1p(counts[word]) for word in words if counts[word] > 1) / (math.pow(len(words), 0.7) + 4)
