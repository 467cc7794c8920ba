"""Kinds of questions, and the result of assessing evidence: its probability and the reasons against it."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self

from core.platform.texts import text


class QuestionKind(StrEnum):
    AUTHORS = "authors"
    OVERVIEW = "overview"
    DEFINITION = "definition"
    COMPARISON = "comparison"
    RELATION = "relation"
    HOW_MANY = "how_many"
    WHEN = "when"
    WHERE = "where"
    WHO = "who"
    WHY = "why"
    LIST = "list"
    HOW = "how"
    FACT = "fact"

    @property
    def is_about_whole_documents(self) -> bool:
        """Whether such questions are answered from the beginnings and ends of documents."""
        return self in {QuestionKind.AUTHORS, QuestionKind.OVERVIEW}


@dataclass(frozen=True, slots=True)
class AssessmentReason:
    """Reason why evidence is not shown as an answer."""

    key: str
    """Catalogue key."""
    details: tuple[tuple[str, str], ...] = ()
    """Values for its placeholders."""

    @classmethod
    def named(cls, name: str, **details: object) -> Self:
        """Return the reason `run.declined.<name>` with its details."""
        return cls(f"run.declined.{name}", tuple((key, str(value)) for key, value in details.items()))

    @classmethod
    def below(cls, name: str, probability: float, needed: float) -> Self:
        """Return the reason that a probability is lower than needed."""
        return cls.named(name, probability=f"{probability:.2f}", needed=f"{needed:.2f}")

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
