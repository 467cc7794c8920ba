"""Noun phrases that a long English document keeps using, though they end in no known kind of thing."""

from collections import Counter
from collections.abc import Iterator, Sequence

from core.rulebook.entities.english.terms import ends_term, fits, is_head, is_special
from core.rulebook.entities.lexicon import WordClass, singular, word_class, words
from core.rulebook.entities.spans import CONCEPT, TokenSpan
from core.rulebook.entities.statistics import Statistics
from core.rulebook.entities.tokens import Token

Phrase = tuple[str, ...]
Place = tuple[list[Token], int, int]
_LONGEST = 3
_LEAST_WORDS = 300
_WORDS_PER_MENTION = 8000
_MOST_ALIKE = 0.6
"""Share of its mentions that may stand between the same two words; above it is a part of a set phrase."""
_COUNTABLE = (WordClass.PLAIN_NOUN, WordClass.UNKNOWN, WordClass.NOUN_OR_VERB)


def find_recurring(documents: Sequence[list[Token]], statistics: Statistics) -> Iterator[tuple[list[Token], TokenSpan]]:
    """(tokens of a text, span) of every mention of a phrase that is frequent by itself, not just in a longer one."""
    if statistics.words < _LEAST_WORDS:
        return
    least = max(3, statistics.words // _WORDS_PER_MENTION)
    frequent = {
        phrase: places
        for phrase, places in _places(documents).items()
        if len(places) >= (least if _is_specific(phrase) else 2 * least)
    }
    nested: Counter[Phrase] = Counter()
    for phrase, places in frequent.items():
        for part in (phrase[1:], phrase[:-1]):
            nested[part] = max(nested[part], len(places))
    for phrase, places in frequent.items():
        if len(places) - nested[phrase] >= least and not _is_set_phrase(places) and any(map(_is_said, places)):
            for tokens, first, last in places:
                yield tokens, TokenSpan(first, last, 0.45, {CONCEPT: 1.0}, term=True)


def _is_set_phrase(places: Sequence[Place]) -> bool:
    """An (integral part) of, denying the (material allegations) of: the same words stand on both sides."""
    before = Counter(tokens[first - 1].lower if first else "" for tokens, first, _ in places)
    after = Counter(tokens[last + 1].lower if last + 1 < len(tokens) else "" for tokens, _, last in places)
    return min(max(before.values()), max(after.values())) >= _MOST_ALIKE * len(places)


def _is_said(place: Place) -> bool:
    """Whether it stands in a sentence or a heading's phrase: another word of its line only joins words."""
    tokens, first, last = place
    start = next((at for at in range(first, 0, -1) if tokens[at - 1].shape == "break"), 0)
    stop = next((at for at in range(last, len(tokens)) if tokens[at].shape == "break"), len(tokens))
    return any(word_class(token.lower) is WordClass.FUNCTION for token in tokens[start:stop])


def _places(documents: Sequence[list[Token]]) -> dict[Phrase, list[Place]]:
    places: dict[Phrase, list[Place]] = {}
    for tokens in documents:
        for first, last in _noun_phrases(tokens):
            for start in range(first, last):
                for end in range(start + 1, min(start + _LONGEST, last + 1)):
                    if _is_noun(tokens[end].lower):
                        phrase = (*(token.lower for token in tokens[start:end]), singular(tokens[end].lower))
                        places.setdefault(phrase, []).append((tokens, start, end))
    return places


def _noun_phrases(tokens: list[Token]) -> Iterator[tuple[int, int]]:
    """(first, last) of every run of two or more lower-case nouns and modifiers."""
    index = 0
    while index < len(tokens):
        last = index - 1
        while last + 1 < len(tokens) and (last < index or tokens[last + 1].joined) and _belongs(tokens, last + 1):
            last += 1
        if last > index:
            yield index, last
        index = max(last, index) + 1


def _belongs(tokens: list[Token], index: int) -> bool:
    token = tokens[index]
    if token.shape != "lower" or len(token.lower) < 3:
        return False
    if fits(tokens, index):
        return True
    stem = singular(token.lower)
    return stem != token.lower and word_class(token.lower) is not WordClass.FUNCTION and word_class(stem) in _COUNTABLE


def _is_noun(word: str) -> bool:
    """Return whether it is neither a modifier alone nor a role: financial officers are persons, not a thing."""
    return (word_class(word) is not WordClass.MODIFIER or is_head(word)) and singular(word) not in words("roles")


def _is_specific(phrase: Phrase) -> bool:
    """At least one word is not everyday English."""
    if word_class(phrase[-1]) is WordClass.UNKNOWN:
        return True
    return any(is_special(word) or ends_term(word) for word in phrase[:-1])
