"""Assessment of what passages say about a question: sentences ranked and quoted, and how likely they answer it."""

from collections.abc import Sequence

from core.models.ports import Embedder
from core.rulebook.assessing.compared_tables import Beside, nothing_beside
from core.rulebook.assessing.cues import is_opening_section
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.part_assessments import PartAssessments
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.assessing.table_extremes import Extreme
from core.rulebook.understanding.question_splitting import parts_of
from core.search.model import Passage

__all__ = ["EvidenceAssessment", "Extreme", "QuotableSpan", "Quote", "Readings", "assess", "is_opening_section"]


def assess(
    question: str,
    passages: Sequence[Passage],
    encoder: Embedder | None = None,
    readings: Readings | None = None,
    beside: Beside = nothing_beside,
) -> EvidenceAssessment:
    """Return the evidence for the question; for a question of two parts, the evidence for each."""
    if parts := parts_of(question):
        return PartAssessments(question, parts, passages, encoder, readings, beside)
    return EvidenceAssessment(question, passages, encoder, readings, beside)
