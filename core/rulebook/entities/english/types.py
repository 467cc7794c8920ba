"""Types of English names: evidence from their own words."""

from collections.abc import Mapping, Sequence
from functools import cache

from core.rulebook.entities.english.context import weigh_context
from core.rulebook.entities.lexicon import endings, is_legal_form, is_plain, listed_type, singular, words
from core.rulebook.entities.spans import CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY, TokenSpan
from core.rulebook.entities.tokens import Token

_HEADS = (
    ("event_heads", CONCEPT),
    ("organization_heads", ORGANIZATION),
    ("location_heads", LOCATION),
    ("technology_heads", TECHNOLOGY),
    ("weak_technology_heads", TECHNOLOGY),
    ("concept_heads", CONCEPT),
)
_CONNECTORS = frozenset({"of", "for", "in", "on", "and"})
_LONGEST_PERSON = 4
_LISTED, _DEMONYM = 0.95, 0.45
_NONE: Mapping[str, int] = {}
_CLOSED = 2.0
"""Evidence for an organisation, a place or a person from which on a name is no front of a technical term."""


def weigh(tokens: list[Token], span: TokenSpan, lower: Mapping[str, int] = _NONE) -> None:
    """Add the evidence for the span's type and set its confidence.

    lower: how often the document writes each word without a capital.
    """
    parts = tokens[span.first : span.last + 1]
    kind = listed_type(" ".join(token.text for token in parts))
    if not kind and len(parts) == 1 and parts[0].text in words("demonyms"):
        span.add(CONCEPT, 4.0)
        span.confidence, span.fixed, span.closed = _DEMONYM, True, True
        return
    if kind:
        span.add(kind, 4.0)
        span.confidence = max(span.confidence, _LISTED)
    if len(parts) == 1:
        _weigh_single(parts[0], span)
    else:
        _weigh_words(parts, span, lower)
    weigh_context(tokens, span)
    span.add(CONCEPT, 0.5)
    span.closed = _is_closed(parts, span)
    span.confidence = span.confidence or _confidence(parts, span)


def _is_closed(parts: Sequence[Token], span: TokenSpan) -> bool:
    if any(token.lower in _CONNECTORS for token in parts):
        return True
    return span.best() in (ORGANIZATION, LOCATION, PERSON) and span.evidence[span.best()] >= _CLOSED


def _weigh_words(parts: Sequence[Token], span: TokenSpan, lower: Mapping[str, int]) -> None:
    kind = ORGANIZATION if _ends_in_legal_form(parts) else _head_type(_head(parts).lower.rstrip("."))
    if kind:
        span.add(kind, 3.0)
    if not kind or _is_full_name(parts):
        _weigh_person(parts, span, lower)


def _ends_in_legal_form(parts: Sequence[Token]) -> bool:
    """Forms of two letters are abbreviations of other things too: SE, NV, CO."""
    last = parts[-1].text
    return is_legal_form(last) and last[0].isupper() and sum(map(str.isalpha, last)) > 2


def _is_full_name(parts: Sequence[Token]) -> bool:
    """A given name and a family name that is also a word: Harrison Field."""
    return len(parts) == 2 and parts[0].text in words("given_names") and parts[1].text in words("surnames")


def _head(parts: Sequence[Token]) -> Token:
    """The word that says what the name names: the last before a connector, numbers apart."""
    cut = next((i for i, token in enumerate(parts) if i and token.lower in _CONNECTORS), len(parts))
    named = [token for token in parts[:cut] if token.shape != "number"]
    return named[-1] if named else parts[-1]


@cache
def _head_type(word: str) -> str:
    for form in (word, singular(word)):
        for file, kind in _HEADS:
            if form in words(file):
                return kind
    return ""


def _weigh_single(token: Token, span: TokenSpan) -> None:
    text, word = token.text, token.lower
    if text in words("given_names"):
        span.add(PERSON, 1.6)
    if text in words("surnames_pinyin") or text in words("surnames"):
        span.add(PERSON, 1.2)
    if token.shape == "mixed" and text.isalpha():
        span.add(TECHNOLOGY, 1.2)
    if any(listed_type(part) == TECHNOLOGY for part in text.split("-")[:-1]):
        span.add(TECHNOLOGY, 1.2)
    if token.shape != "cap":
        return
    if word.endswith(endings("person_endings")) and len(word) > 4:
        span.add(PERSON, 0.8)


def _weigh_person(parts: Sequence[Token], span: TokenSpan, lower: Mapping[str, int]) -> None:
    if len(parts) > _LONGEST_PERSON or any(token.lower in _CONNECTORS for token in parts):
        return
    first, last = parts[0].text, parts[-1].text
    shapes = {token.shape for token in parts}
    if first in words("given_names"):
        span.add(PERSON, 2.6 if _is_family_name(parts[-1]) else 1.6)
    if "initial" in shapes and parts[-1].shape in ("cap", "mixed"):
        span.add(PERSON, 2.0)
    if words("surnames_pinyin") & {first, last}:
        span.add(PERSON, 1.2)
    if "lower" in shapes:
        span.add(PERSON, 1.2)
    _weigh_spelling(parts, span, lower)


def _weigh_spelling(parts: Sequence[Token], span: TokenSpan, lower: Mapping[str, int]) -> None:
    """Everyday words against a person, words spelled like names for one."""
    plain = sum(is_plain(token.lower) or lower.get(token.lower, 0) > 1 for token in parts)
    if plain:
        span.add(CONCEPT, 0.8 * plain)
    elif all(map(_is_personal, parts)):
        span.add(PERSON, 1.8 if parts[-1].text.endswith(endings("person_endings")) else 1.3)


def _is_family_name(token: Token) -> bool:
    return token.text in words("surnames") or not is_plain(token.lower)


def _is_personal(token: Token) -> bool:
    if token.shape not in ("cap", "initial", "lower") or any(map(str.isdigit, token.text)):
        return False
    return token.shape == "lower" or all(part[:1].isupper() for part in token.text.split("-"))


def _confidence(parts: Sequence[Token], span: TokenSpan) -> float:
    strongest = max(span.evidence.values())
    if strongest >= 2.5:
        return 0.9
    if len(parts) > 1:
        return 0.8 if strongest >= 1.5 else 0.65
    if parts[0].shape in ("upper", "mixed"):
        return 0.7
    return 0.4 if parts[0].starts_sentence else 0.55 + min(0.2, max(0.0, 0.1 * strongest))
