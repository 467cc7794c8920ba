"""What the English rules pass along: spans of tokens with evidence for a type."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.builtin.entities.tokens import Token

_LEAST_WORDS = 80
_MOST_CAPITALS = 0.4
TECHNOLOGY, CONCEPT, PERSON, ORGANIZATION, LOCATION = "TECHNOLOGY", "CONCEPT", "PERSON", "ORGANIZATION", "LOCATION"


@dataclass(slots=True)
class Span:
    """Tokens first..last (inclusive) that look like an entity."""

    first: int
    last: int
    confidence: float
    evidence: dict[str, float] = field(default_factory=dict)
    """Type -> weight; what several mentions of a name say is added up."""
    fixed: bool = False
    """A list named it: context does not retype it."""
    closed: bool = False
    """It cannot be the front of a longer term."""
    term: bool = False
    """Lower-case head: matched without regard to case."""

    def add(self, kind: str, weight: float) -> None:
        self.evidence[kind] = self.evidence.get(kind, 0.0) + weight

    def best(self) -> str:
        return max(sorted(self.evidence), key=lambda kind: self.evidence[kind]) if self.evidence else CONCEPT


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a document writes its words."""

    lower: Counter[str]
    """Occurrences without a capital."""
    inside: Counter[str]
    """Occurrences with a capital that no sentence start or heading explains."""
    words: int
    informative: bool = True
    """Whether capitals tell names from other words; not in a language that capitalises its nouns."""


def statistics(documents: Iterable[list[Token]]) -> Statistics:
    lower: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    for tokens in documents:
        lower.update(token.lower for token in tokens if token.shape == "lower")
        inside.update(t.lower for t in tokens if t.is_capital and not t.starts_sentence and not t.silent)
    lowers, capitals = lower.total(), inside.total()
    informative = lowers + capitals < _LEAST_WORDS or capitals < _MOST_CAPITALS * lowers
    return Statistics(lower, inside, lowers + capitals, informative)


def surface(tokens: list[Token], first: int, last: int, text: str) -> str:
    """The text under the tokens, white space folded."""
    return " ".join(text[tokens[first].start : tokens[last].end].split())
