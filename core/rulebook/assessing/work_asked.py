"""Whether the quoted documents are the work, or the part of one, that a question about whole documents means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from core.platform.language.terms import content_terms, normal_form
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.questions import WORK, part_asked, work_asked, works_named

if TYPE_CHECKING:
    from core.rulebook.assessing.evidence_assessment import EvidenceAssessment

WORDS_OF_WORK = 0.5
"""Least share of the question's own words in a document that it asks for a summary of."""


def is_of_work_asked(evidence: EvidenceAssessment) -> bool:
    """Return whether the quoted documents have the words for the work, "flood" of "the flood manual", and its part."""
    told, part = terms_of_work(evidence), part_asked(evidence.question)
    if not told.issuperset(work_asked(evidence.question)):
        return False
    return _is_of_part(evidence, part) if part else _has_words_of_summary(evidence, told)


def terms_of_work(evidence: EvidenceAssessment) -> frozenset[str]:
    """Return the terms of the byline's passage, or of all passages of the quoted documents, and of their names."""
    places = {quote.passage for quote in evidence.quotes}
    if evidence.kind is not QuestionKind.AUTHORS:
        quoted = {evidence.passages[place].chunk.document_id for place in places}
        places = {place for place, it in enumerate(evidence.passages) if it.chunk.document_id in quoted}
    names = (content_terms(evidence.passages[place].document_name) for place in places)
    return frozenset().union(*(evidence.texts[place] for place in places), *names)


def _has_words_of_summary(evidence: EvidenceAssessment, told: frozenset[str]) -> bool:
    """Return whether the quoted documents or their names have most words of the summary's subject."""
    if evidence.kind is not QuestionKind.OVERVIEW or works_named(evidence.question):
        return True
    words = [one for one in evidence.needs.weights if not any(map(WORK.fullmatch, one[0].terms))]
    found = sum(weight * word.credit(told) for word, weight in words)
    return found >= WORDS_OF_WORK * sum(weight for _, weight in words)


def _is_of_part(evidence: EvidenceAssessment, number: str) -> bool:
    """Return whether every quote stands under a heading with the number."""
    bears = re.compile(
        rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)|第\s*{re.escape(number)}\s*[章节部条]", re.IGNORECASE
    )
    headings = (evidence.passages[quote.passage].chunk.section for quote in evidence.quotes)
    return all(any(bears.search(normal_form(heading)) for heading in section) for section in headings)
