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
    titled: Counter[str]
    """Those of them with the first letter alone in capitals."""
    numbered: Counter[str]
    """Letter -> how many different numbers follow it: T16, T45."""
    words: int
    informative: bool = True
    """Whether capitals tell names from other words; not in a language that capitalises its nouns."""


def statistics(documents: Iterable[list[Token]]) -> Statistics:
    lower: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    titled: Counter[str] = Counter()
    numbered: set[str] = set()
    for tokens in documents:
        lower.update(token.lower for token in tokens if token.shape == "lower")
        telling = [t for t in tokens if t.is_capital and not t.starts_sentence and not t.silent]
        inside.update(token.lower for token in telling)
        titled.update(token.lower for token in telling if token.shape == "cap")
        numbered.update(token.text for token in tokens if is_numbered_letter(token.text))
    lowers, capitals = lower.total(), inside.total()
    informative = lowers + capitals < _LEAST_WORDS or capitals < _MOST_CAPITALS * lowers
    series = Counter(text[0] for text in numbered)
    return Statistics(lower, inside, titled, series, lowers + capitals, informative)


def is_numbered_letter(text: str) -> bool:
    """T16: a letter with a number."""
    return text[:1].isalpha() and text[1:].isdigit()


def surface(tokens: list[Token], first: int, last: int, text: str) -> str:
    """The text under the tokens, white space folded."""
    return " ".join(text[tokens[first].start : tokens[last].end].split())
