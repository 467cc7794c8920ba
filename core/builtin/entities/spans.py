"""What the English rules pass along: spans of tokens with evidence for a type."""

import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from core.builtin.entities.furniture import OPERATORS
from core.builtin.entities.tokens import Token

_LEAST_WORDS = 80
_MOST_CAPITALS = 0.4
_CAMEL = re.compile(r"[A-Z]?[^\WA-Z]+|[A-Z]+(?![^\WA-Z])")
_LONGEST_VARIABLE = 4
MOST_FORMAL = 1 / 3
"""Share of the mentions of a name that may stand beside signs of formulas."""
LEAST_SERIES = 3
"""Numbers with which one letter makes a series: T16, T23, T45 are labels and no names."""
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
    compounds: Counter[str]
    """Last part -> how many words like GlobList end in it; none where one of them is not made of known words."""
    variables: frozenset[str]
    """Short words that stand in formulas, not only in sentences."""
    words: int
    informative: bool = True
    """Whether capitals tell names from other words; not in a language that capitalises its nouns."""


def statistics(documents: Iterable[list[Token]]) -> Statistics:
    lower: Counter[str] = Counter()
    inside: Counter[str] = Counter()
    titled: Counter[str] = Counter()
    numbered: set[str] = set()
    mixed: set[str] = set()
    seen: Counter[str] = Counter()
    formal: Counter[str] = Counter()
    for tokens in documents:
        seen.update(token.text for token in tokens if _is_short(token))
        formal.update(tokens[at].text for at in range(len(tokens)) if _is_short(tokens[at]) and _is_formal(tokens, at))
        lower.update(token.lower for token in tokens if token.shape == "lower")
        telling = [t for t in tokens if t.is_capital and not t.starts_sentence and not t.silent]
        inside.update(token.lower for token in telling)
        titled.update(token.lower for token in telling if token.shape == "cap")
        mixed.update(token.text for token in tokens if token.shape == "mixed")
        numbered.update(token.text for token in tokens if is_numbered_letter(token.text))
    lowers, capitals = lower.total(), inside.total()
    informative = lowers + capitals < _LEAST_WORDS or capitals < _MOST_CAPITALS * lowers
    series = Counter(text[0] for text in numbered)
    variables = frozenset(text for text, count in formal.items() if count > MOST_FORMAL * seen[text])
    known = {text: all(map(lower.__getitem__, map(str.lower, camel_parts(text)))) for text in mixed}
    compounds = Counter(camel_parts(text)[-1] for text in mixed if text.isalpha())
    compounds.subtract({camel_parts(text)[-1]: len(mixed) for text in mixed if not known[text] and text.isalpha()})
    return Statistics(lower, inside, titled, series, compounds, variables, lowers + capitals, informative)


def _is_short(token: Token) -> bool:
    return token.is_capital and len(token.text) <= _LONGEST_VARIABLE


def _is_formal(tokens: list[Token], index: int) -> bool:
    """Whether an operator stands beside it, or it is called like a function."""
    beside = [tokens[at] for at in (index - 1, index + 1) if 0 <= at < len(tokens)]
    called = bool(beside) and beside[-1].text == "(" and beside[-1].start == tokens[index].end
    return called or any(token.text in OPERATORS for token in beside)


def camel_parts(text: str) -> list[str]:
    """Glob and List of GlobList."""
    return _CAMEL.findall(text)


def is_numbered_letter(text: str) -> bool:
    """T16: a letter with a number."""
    return text[:1].isalpha() and text[1:].isdigit()


def surface(tokens: list[Token], first: int, last: int, text: str) -> str:
    """The text under the tokens, white space folded."""
    return " ".join(text[tokens[first].start : tokens[last].end].split())
