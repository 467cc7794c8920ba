"""Result of assessing evidence: the probability that it answers the question, and the reasons against it."""

from dataclasses import dataclass
from typing import Any

from core.platform.texts import text


@dataclass(frozen=True, slots=True)
class AssessmentReason:
    """Reason why evidence is not shown as an answer."""

    key: str
    """Catalogue key."""
    details: tuple[tuple[str, str], ...] = ()
    """Values for its placeholders."""

    def sentence(self, language: str) -> str:
        return text(self.key, language, **dict(self.details))


@dataclass(frozen=True, slots=True)
class Assessment:
    """Probability that the evidence answers, the probability needed, and the reasons against showing it."""

    probability: float
    threshold: float
    reasons: tuple[AssessmentReason, ...] = ()
    """Empty where the evidence is shown as an answer; the most telling reason is the first."""

    def as_json(self) -> dict[str, Any]:
        """Return the values for programs, the reasons with an English sentence."""
        reasons = [{"key": it.key, "details": dict(it.details), "message": it.sentence("en")} for it in self.reasons]
        return {"probability": round(self.probability, 4), "threshold": self.threshold, "reasons": reasons}


def declined(name: str, **details: object) -> AssessmentReason:
    """Return the reason `run.declined.<name>` with its details."""
    return AssessmentReason(f"run.declined.{name}", tuple((key, str(value)) for key, value in details.items()))


def below_threshold(name: str, probability: float, needed: float) -> AssessmentReason:
    return declined(name, probability=f"{probability:.2f}", needed=f"{needed:.2f}")
