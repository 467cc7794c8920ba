"""The English extractor: names, terms and acronyms of a document, then every mention of what was accepted."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.graph.model import ExtractedName
from core.platform.language.stretches import Interval
from core.rulebook.entities.acronyms import find_pairs
from core.rulebook.entities.english.column_types import weigh_columns, without_parts
from core.rulebook.entities.english.names import find_names
from core.rulebook.entities.english.recurring import find_recurring
from core.rulebook.entities.english.screening import screen
from core.rulebook.entities.english.terms import find_terms
from core.rulebook.entities.english.types import weigh
from core.rulebook.entities.meanings import Meanings
from core.rulebook.entities.registry import Registry
from core.rulebook.entities.spans import TokenSpan, surface
from core.rulebook.entities.statistics import Statistics, is_identifier, statistics
from core.rulebook.entities.tokens import Token, tokenise

_QUOTES = frozenset("\"'“”‘’")
_LIST_MARKS = ([","], ["and"], ["or"], [",", "and"], [",", "or"], ["/"])
_PAIR_CONFIDENCE = 0.85
_WIDEST_DEFINITION = 16
"""Tokens between the start of a full name and the parenthesis that gives it a short one."""


@dataclass(frozen=True, slots=True)
class EnglishCandidates:
    """Findings of the rules in the texts of a document, before they are screened."""

    texts: Sequence[str]
    documents: list[list[Token]]
    registry: Registry
    statistics: Statistics


def extract_english(
    texts: Sequence[str], masked: Sequence[Sequence[Interval]], meanings: Meanings | None = None
) -> list[list[ExtractedName]]:
    """Entities of every text in order, not overlapping; masked holds the stretches of each text to leave out."""
    read = read_english(texts, masked, meanings)
    screen(texts, read.documents, read.registry, read.statistics, meanings)
    return [list(_found(text, tokens, read.registry)) for text, tokens in zip(texts, read.documents, strict=True)]


def read_english(
    texts: Sequence[str], masked: Sequence[Sequence[Interval]], meanings: Meanings | None = None
) -> EnglishCandidates:
    documents = [tokenise(text, mask) for text, mask in zip(texts, masked, strict=True)]
    seen = statistics(documents)
    registry = Registry()
    named = without_parts(documents, [find_names(tokens, seen) for tokens in documents])
    for tokens, names in zip(documents, named, strict=True):
        for span in names:
            weigh(tokens, span, seen.lower)
    weigh_columns(zip(documents, named, strict=True))
    for text, tokens, names in zip(texts, documents, named, strict=True):
        _register(text, tokens, names, seen, registry)
    for tokens, span in find_recurring(documents, seen):
        if not is_identifier(tokens, span, seen):
            registry.add(tokens, span)
    registry.settle()
    if meanings is not None:
        meanings.weigh(registry.names(), len(texts))
    return EnglishCandidates(texts, documents, registry, seen)


def _register(text: str, tokens: list[Token], names: list[TokenSpan], seen: Statistics, registry: Registry) -> None:
    spans = find_terms(tokens, names) + names
    pairs = [*_pairs(text, tokens, spans), *_defined(tokens, names)]
    chosen = _longest(spans + [span for pair in pairs for span in pair])
    _share_in_lists(tokens, chosen)
    for span in chosen:
        if not is_identifier(tokens, span, seen):
            registry.add(tokens, span)
    for long, short in pairs:
        forms = surface(tokens, long.first, long.last, text), surface(tokens, short.first, short.last, text)
        registry.pair(tokens, long, short, forms)


def _found(text: str, tokens: list[Token], registry: Registry) -> Iterator[ExtractedName]:
    for span, _, known in registry.occurrences(tokens):
        start, end = tokens[span.first].start, tokens[span.last].end
        name = surface(tokens, span.first, span.last, text)
        yield ExtractedName(start, end, name, known.best(), span.confidence, tuple(known.aliases))


def _pairs(text: str, tokens: list[Token], spans: Iterable[TokenSpan]) -> Iterator[tuple[TokenSpan, TokenSpan]]:
    """Long forms and their acronyms as spans of tokens."""
    if "(" not in text and "（" not in text:
        return
    starts = {token.start: index for index, token in enumerate(tokens)}
    ends = {token.end: index for index, token in enumerate(tokens)}
    known = {(span.first, span.last): span for span in spans}
    for pair in find_pairs(text):
        edges = [(starts.get(start), ends.get(end)) for start, end in (pair.long, pair.short)]
        both = [_span(tokens, known, first, last) for first, last in edges if first is not None and last is not None]
        if len(both) == 2:
            yield both[0], both[1]


def _defined(tokens: list[Token], names: Sequence[TokenSpan]) -> Iterator[tuple[TokenSpan, TokenSpan]]:
    """Full names with the part of them that a parenthesis names them by: Northmere Water Corporation ("Northmere")."""
    for long, short in pairwise(names):
        length = short.last - short.first + 1
        opening = short.first - 1
        while opening > long.last and tokens[opening].text in _QUOTES:
            opening -= 1
        if tokens[opening].text != "(" or short.first - long.first > _WIDEST_DEFINITION:
            continue
        full = [token.text for token in tokens[long.first : long.last + 1]]
        given = [token.text for token in tokens[short.first : short.last + 1]]
        if any(full[at : at + length] == given for at in range(len(full) - length + 1)) and full != given:
            yield long, short


def _span(tokens: list[Token], known: dict[tuple[int, int], TokenSpan], first: int, last: int) -> TokenSpan:
    span = known.get((first, last))
    if span is None:
        span = TokenSpan(first, last, 0.0, term=tokens[first].shape == "lower" and tokens[last].shape == "lower")
        weigh(tokens, span)
    span.confidence = max(span.confidence, _PAIR_CONFIDENCE)
    return span


def _share_in_lists(tokens: list[Token], spans: list[TokenSpan]) -> None:
    """Names in one enumeration are likely of one kind: half of what is known of each goes to its neighbour."""
    for left, right in pairwise(spans):
        if right.first - left.last > 3:
            continue
        if [token.lower for token in tokens[left.last + 1 : right.first]] not in _LIST_MARKS:
            continue
        shares = dict(left.evidence), dict(right.evidence)
        for span, share in ((right, shares[0]), (left, shares[1])):
            if not span.fixed:
                for kind, weight in share.items():
                    span.add(kind, 0.5 * min(weight, 2.0))


def _longest(spans: Iterable[TokenSpan]) -> list[TokenSpan]:
    """The spans in order without overlaps; longer ones win, then surer ones."""
    chosen: list[TokenSpan] = []
    taken: set[int] = set()
    for span in sorted(spans, key=lambda span: (span.first - span.last, -span.confidence, span.first)):
        covered = range(span.first, span.last + 1)
        if taken.isdisjoint(covered):
            taken.update(covered)
            chosen.append(span)
    return sorted(chosen, key=lambda span: span.first)
