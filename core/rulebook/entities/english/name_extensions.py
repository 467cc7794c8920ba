"""Extensions of an English name beyond its run of capitals: "of the ...", "for ...", "and ...", a year in front."""

from core.rulebook.entities.english.capitalized_spans import capital_run
from core.rulebook.entities.lexicon import endings, is_plain, singular, words
from core.rulebook.entities.tokens import Token

_CONNECTORS = {"of": "of_heads", "for": "for_heads", "in": "for_heads", "on": "for_heads"}
_PAIRING = frozenset({"and", "or"})
_HEADS = ("organization_heads", "location_heads", "event_heads")


def has_head(tokens: list[Token], index: int) -> bool:
    """Whether the token says what a name names: Institute, River, Prize."""
    return any(tokens[index].lower in words(name) for name in _HEADS)


def with_complements(tokens: list[Token], first: int, last: int) -> int:
    """The last token of the name first..last with its complements: University of the West, Prize in Chemistry."""
    inside = False
    while True:
        start = _complement(tokens, first, last, inside)
        end = None if start is None else capital_run(tokens, start)
        if end is None or start is None:
            return last
        if tokens[last + 1].lower in _PAIRING and not _pairs(tokens, start, end, inside):
            return last
        last, inside = end, True


def _complement(tokens: list[Token], first: int, last: int, inside: bool) -> int | None:
    """Return the start of the capitalised run after a connector; inside: an "of ..." or "for ..." came before."""
    if not _is_joined(tokens, last + 1) or not _is_joined(tokens, last + 2):
        return None
    connector = tokens[last + 1].lower
    if connector in _PAIRING:
        return last + 2 if _is_common(tokens[last].lower) else None
    if connector == "the":
        return last + 2 if first == last and tokens[first].text in words("given_names") else None
    if not _takes(tokens[last], connector, inside):
        return None
    start = last + 3 if tokens[last + 2].lower == "the" else last + 2
    return start if _is_joined(tokens, start) else None


def _is_joined(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].joined


def _takes(head: Token, connector: str, inside: bool) -> bool:
    """Whether a name goes on behind this word and connector: Bank of, Prize in, and any noun inside a complement."""
    if connector not in _CONNECTORS or head.shape == "upper":
        return False
    heads = words(_CONNECTORS[connector])
    return head.lower in heads or singular(head.lower) in heads or (inside and _is_common(head.lower))


def _pairs(tokens: list[Token], first: int, last: int, inside: bool) -> bool:
    """Whether the run behind "and" goes on with the name before it: Arts and Sciences, Food and Drug Administration."""
    common = all(_is_common(token.lower) for token in tokens[first : last + 1])
    return common and has_head(tokens, last) != inside


def _is_common(word: str) -> bool:
    return is_plain(word) or word.endswith(endings("common_endings"))


def with_year(tokens: list[Token], first: int, last: int) -> int:
    """The first token of the name, which is a year in front of an event: 2010 World Championships."""
    before = tokens[first - 1] if first else None
    if before is None or not tokens[first].joined or len(before.text) != 4 or not before.text.isdigit():
        return first
    return first - 1 if tokens[last].lower in words("event_heads") else first
