"""Reasons not to show quotes as an answer, whatever their fitted probability: no quote can answer such a question."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.rulebook.assessing.answering import ACROSS_THRESHOLD
from core.rulebook.assessing.table_extremes import extreme_words
from core.rulebook.model import AssessmentReason
from core.rulebook.understanding.mention_questions import words_to_mention
from core.rulebook.understanding.questions import asks_what_is_mentioned, asks_why_so

if TYPE_CHECKING:
    from core.rulebook.assessing.evidence_assessment import EvidenceAssessment


def vetoes(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    """Yield the reason of every veto; probability is the fitted one."""
    if evidence.features["another language"]:
        if evidence.encoder is None:
            yield AssessmentReason.named("another_language")
        elif probability < ACROSS_THRESHOLD:
            yield AssessmentReason.below("across", probability, ACROSS_THRESHOLD)
        if evidence.is_told_in_own_language:
            yield AssessmentReason.named("own_language")
    elif evidence.encoder is None and evidence.features["nothing but names"]:
        yield AssessmentReason.named("only_names")
    if asks_what_is_mentioned(evidence.question) or words_to_mention(evidence.question):
        yield AssessmentReason.named("every_mention")
    if asks_why_so(evidence.question):
        yield AssessmentReason.named("no_cause")
    if words := _uncompared(evidence):
        yield AssessmentReason.named("uncompared", words=words)


def _uncompared(evidence: EvidenceAssessment) -> str:
    """Return the words for the least or greatest that rows of numbers are quoted without."""
    rows = [quote.text.casefold() for quote in evidence.quotes if quote.is_row]
    return ", ".join(word for word in extreme_words(evidence.question) if any(word not in row for row in rows))
