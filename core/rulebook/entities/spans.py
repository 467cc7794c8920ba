"""Spans of tokens with evidence for a type, as the English rules pass them on."""

from dataclasses import dataclass, field

from core.rulebook.entities.tokens import Token

TECHNOLOGY, CONCEPT, PERSON, ORGANIZATION, LOCATION = "TECHNOLOGY", "CONCEPT", "PERSON", "ORGANIZATION", "LOCATION"


@dataclass(slots=True)
class TokenSpan:
    """Tokens first..last (inclusive) that look like an entity."""

    first: int
    last: int
    confidence: float
    evidence: dict[str, float] = field(default_factory=dict)
    """Type -> weight, summed over the mentions of a name."""
    fixed: bool = False
    """Whether a list gives the type, which context does not change."""
    closed: bool = False
    """Whether it cannot be the front of a longer term."""
    term: bool = False
    """Whether the head is in lower case, so that case is ignored in matching."""

    def add(self, kind: str, weight: float) -> None:
        self.evidence[kind] = self.evidence.get(kind, 0.0) + weight

    def best(self) -> str:
        return max(sorted(self.evidence), key=lambda kind: self.evidence[kind]) if self.evidence else CONCEPT


def surface(tokens: list[Token], first: int, last: int, text: str) -> str:
    """The text under the tokens, white space folded."""
    return " ".join(text[tokens[first].start : tokens[last].end].split())
