"""Evidence for a two-part question: each part has its own assessment, and one sure part is enough."""

from collections.abc import Sequence
from functools import cached_property

from core.models.ports import Embedder
from core.rulebook.assessing.compared_tables import Beside, nothing_beside
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import Readings
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.model import Assessment
from core.search.model import Passage


class PartAssessments(EvidenceAssessment):
    """Evidence of some passages for each part of a question."""

    def __init__(
        self,
        question: str,
        parts: Sequence[str],
        passages: Sequence[Passage],
        encoder: Embedder | None,
        readings: Readings | None = None,
        beside: Beside = nothing_beside,
    ) -> None:
        super().__init__(question, passages, encoder, readings, beside)
        self.parts = tuple(EvidenceAssessment(part, passages, encoder, readings, beside) for part in parts)

    @property
    def best(self) -> EvidenceAssessment:
        """Assessment of the part with the highest probability."""
        return max(self.parts, key=lambda part: part.probability)

    @cached_property
    def assessment(self) -> Assessment:
        return self.best.assessment

    @property
    def may_answer(self) -> bool:
        return any(part.may_answer for part in self.parts)

    @cached_property
    def quotes(self) -> list[Quote]:
        """Of the best part first."""
        ordered = sorted(self.parts, key=lambda part: -part.probability)
        return list(dict.fromkeys(quote for part in ordered for quote in part.quotes))

    @cached_property
    def value(self) -> str:
        """Each part has its own."""
        return ""
