"""Occurrences of English names in a document: at the start of sentences, alone, in lines of code."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from core.rulebook.entities.boilerplate import FORMAL
from core.rulebook.entities.registry import Key
from core.rulebook.entities.spans import TokenSpan
from core.rulebook.entities.statistics import is_fragment
from core.rulebook.entities.tokens import Token

_ARTICLES = frozenset({"the", "a", "an"})
_NOT_FORMAL = frozenset("()|")
_NONE = Token(0, 0, "\n", "\n", "break")


@dataclass(slots=True)
class NameOccurrences:
    """Counts over the mentions of one name."""

    first: tuple[int, int, int]
    """Text, start and end in it, of the first mention."""
    mentions: int = 0
    starting: int = 0
    """Mentions at the start of a sentence."""
    alone: int = 0
    """Mentions alone in their line."""
    determined: int = 0
    """Mentions after an article or a pronoun."""
    cut: int = 0
    """Mentions next to a capital or a number that is not part of the name."""
    split: int = 0
    """Mentions before letters that are no word."""
    formal: float = 0.0
    """Sum of the shares of signs of formulas and code in their lines."""
    texts: set[int] = field(default_factory=set)
    before: set[str] = field(default_factory=set)
    after: set[str] = field(default_factory=set)


def sightings(
    documents: Sequence[list[Token]], places: Sequence[Sequence[tuple[TokenSpan, Key]]]
) -> dict[Key, NameOccurrences]:
    """places: the mentions in each of the documents."""
    found: dict[Key, NameOccurrences] = {}
    for index, (tokens, row) in enumerate(zip(documents, places, strict=True)):
        formal = _formal_shares(tokens)
        for span, key in row:
            place = index, tokens[span.first].start, tokens[span.last].end
            seen = found.setdefault(key, NameOccurrences(place))
            seen.texts.add(index)
            seen.formal += formal[span.first]
            _count(tokens, span, seen)
    return found


def _count(tokens: list[Token], span: TokenSpan, seen: NameOccurrences) -> None:
    first = tokens[span.first]
    before = tokens[span.first - 1] if span.first else _NONE
    after = tokens[span.last + 1] if span.last + 1 < len(tokens) else _NONE
    seen.mentions += 1
    seen.starting += first.starts_sentence
    seen.alone += before.shape == after.shape == "break"
    seen.determined += before.lower in _ARTICLES
    seen.cut += (first.joined and _is_capital(before)) or (after.joined and _is_capital(after))
    seen.split += after.joined and is_fragment(after)
    seen.before.add(before.lower)
    seen.after.add(after.lower)


def _is_capital(token: Token) -> bool:
    return token.is_capital or token.shape == "number"


def _formal_shares(tokens: Iterable[Token]) -> list[float]:
    """For every token the share of signs of formulas and code in its line."""
    shares: list[float] = []
    line: list[Token] = []
    for token in [*tokens, _NONE]:
        line.append(token)
        if token.shape == "break":
            shares += [sum(map(_is_formal, line)) / len(line)] * len(line)
            line = []
    return shares


def _is_formal(token: Token) -> bool:
    return token.shape == "code" or (token.text in FORMAL and token.text not in _NOT_FORMAL)
