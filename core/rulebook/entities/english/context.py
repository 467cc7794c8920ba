"""Types of English names: evidence from the words around them."""

from core.rulebook.entities.lexicon import is_legal_form, listed_type, singular, words
from core.rulebook.entities.spans import LOCATION, ORGANIZATION, PERSON, TECHNOLOGY, TokenSpan
from core.rulebook.entities.tokens import Token

_PLACE_PREPOSITIONS = {"in": 0.9, "near": 1.2, "at": 0.3, "from": 0.4, "across": 0.8}
_ADDRESSED = 2.5
_FIRM = 3.5
_INTRODUCING = frozenset({"a", "an", "the", "who"})
_BORN = frozenset({"born", "b."})


def weigh_context(tokens: list[Token], span: TokenSpan) -> None:
    if span.first:
        _weigh_before(tokens[span.first - 1], tokens[span.first], span)
        if span.first > 1 and tokens[span.first - 1].lower == "of":
            _weigh_kind(tokens[span.first - 2].lower, span)
    if span.last + 1 < len(tokens):
        _weigh_after(tokens[span.last], tokens[span.last + 1], span)
        _weigh_apposition(tokens[span.last + 1 : span.last + 7], span)


def _weigh_before(before: Token, name: Token, span: TokenSpan) -> None:
    word = before.lower
    if word.rstrip(".") in words("honorifics") or word in words("roles"):
        span.add(PERSON, 2.0)
    if word in _PLACE_PREPOSITIONS and name.shape != "upper":
        span.add(LOCATION, _PLACE_PREPOSITIONS[word])
    if word == "by":
        span.add(PERSON, 0.5)
    if singular(word) in words("technology_heads"):
        span.add(TECHNOLOGY, 0.9)
    if word in words("organization_cues"):
        span.add(ORGANIZATION, 0.9)


def _weigh_kind(kind: str, span: TokenSpan) -> None:
    """The town of Northmere, the company of Lindqvist."""
    if kind in words("location_heads"):
        span.add(LOCATION, 1.5)
    elif kind in words("technology_heads"):
        span.add(TECHNOLOGY, 0.5)


def _weigh_after(name: Token, after: Token, span: TokenSpan) -> None:
    if after.lower in words("person_verbs"):
        span.add(ORGANIZATION if name.shape == "upper" else PERSON, 0.9)
    if name.shape == "upper" and _is_postal_code(after):
        span.add(LOCATION, _ADDRESSED)
    if after.shape == "lower" and singular(after.lower) in words("technology_heads"):
        span.add(TECHNOLOGY, 0.9)
    if after.shape == "lower" and after.lower in words("organization_cues"):
        span.add(ORGANIZATION, 0.9)


def _weigh_apposition(rest: list[Token], span: TokenSpan) -> None:
    """Behind the name: ", Ohio" of a place, ", Inc." of a firm, ", an American physicist" of a person."""
    if len(rest) < 2:
        return
    mark, word = rest[0].text, rest[1]
    if mark == "(" and (word.lower in _BORN or _is_life(word.text)):
        span.add(PERSON, 2.0)
    if mark == ",":
        _weigh_behind_comma(rest[1:], span)


def _weigh_behind_comma(rest: list[Token], span: TokenSpan) -> None:
    word = rest[0]
    if listed_type(word.text) == LOCATION:
        span.add(LOCATION, 1.2)
    if word.is_capital and is_legal_form(word.text):
        span.add(ORGANIZATION, _FIRM)
    if len(rest) > 1 and word.shape == "upper" and _is_postal_code(rest[1]):
        span.add(LOCATION, _ADDRESSED)
    if word.lower in _INTRODUCING and any(token.lower in words("roles") for token in rest):
        span.add(PERSON, 1.2)


def _is_postal_code(token: Token) -> bool:
    """Behind a state or province: Springfield, IL 62704."""
    return token.joined and len(token.text[:5]) == 5 and token.text[:5].isdigit()


def _is_life(text: str) -> bool:
    return len(text) == 9 and text[:4].isdigit() and text[5:].isdigit()
