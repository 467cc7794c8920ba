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
    """Type -> weight; what several mentions of a name say is added up."""
    fixed: bool = False
    """A list named it: context does not retype it."""
    closed: bool = False
    """Whether it cannot be the front of a longer term."""
    term: bool = False
    """Lower-case head: matched without regard to case."""

    def add(self, kind: str, weight: float) -> None:
        self.evidence[kind] = self.evidence.get(kind, 0.0) + weight

    def best(self) -> str:
        return max(sorted(self.evidence), key=lambda kind: self.evidence[kind]) if self.evidence else CONCEPT


def surface(tokens: list[Token], first: int, last: int, text: str) -> str:
    """The text under the tokens, white space folded."""
    return " ".join(text[tokens[first].start : tokens[last].end].split())
