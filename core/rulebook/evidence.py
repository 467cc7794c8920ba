"""Assessment of what passages say about a question: sentences ranked and quoted, and how likely they answer it."""

from collections.abc import Sequence
from functools import cached_property

from core.models.ports import CrossEncoder, Embedder
from core.rulebook.assessing.cues import is_opening_section
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.owners import is_about_what_is_named, says
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings, Shape
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.assessing.table_extremes import Beside, Extreme, has_what_is_compared, nothing_beside, rest_of_tables
from core.rulebook.model import Assessment
from core.rulebook.understanding.question_splitting import parts_of
from core.search.model import Passage

__all__ = [
    "EvidenceAssessment",
    "Extreme",
    "QuotableSpan",
    "Quote",
    "Readings",
    "Shape",
    "assess",
    "has_what_is_compared",
    "is_about_what_is_named",
    "is_opening_section",
    "rest_of_tables",
    "says",
]


def assess(
    question: str,
    passages: Sequence[Passage],
    encoder: Embedder | None = None,
    readings: Readings | None = None,
    beside: Beside = nothing_beside,
    cross_encoder: CrossEncoder | None = None,
) -> EvidenceAssessment:
    """Return the evidence for the question; for a question of two parts, the evidence for each."""
    made = _PartAssessments if parts_of(question) else EvidenceAssessment
    return made(question, passages, encoder, readings, beside, cross_encoder)


class _PartAssessments(EvidenceAssessment):
    """Evidence for each part of a question; one answered part is enough."""

    def __init__(
        self,
        question: str,
        passages: Sequence[Passage],
        encoder: Embedder | None,
        readings: Readings | None = None,
        beside: Beside = nothing_beside,
        cross_encoder: CrossEncoder | None = None,
    ) -> None:
        super().__init__(question, passages, encoder, readings, beside, cross_encoder)
        self.parts = tuple(
            EvidenceAssessment(part, passages, encoder, readings, beside, cross_encoder) for part in parts_of(question)
        )

    @cached_property
    def assessment(self) -> Assessment:
        """The assessment of the part with the highest probability."""
        return max(self.parts, key=lambda part: part.probability).assessment

    @property
    def may_answer(self) -> bool:
        return any(part.may_answer for part in self.parts)

    @cached_property
    def quotes(self) -> list[Quote]:
        """The quotes of the best part first."""
        ordered = sorted(self.parts, key=lambda part: -part.probability)
        return list(dict.fromkeys(quote for part in ordered for quote in part.quotes))

    @cached_property
    def value(self) -> str:
        """Empty, because each part has its own."""
        return ""
