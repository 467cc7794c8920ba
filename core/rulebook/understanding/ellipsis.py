"""Finds what a fragment ("And in Canada?") stands for in the question before: a part of like kind."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any

import numpy as np

from core.models.ports import Embedder
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.stopwords import ARTICLES, HAN_PHRASES, without_article
from core.platform.language.terms import content_terms
from core.rulebook.understanding.coreference import place_in

LIKE = 0.5
"""Share of common characters from which one name may replace another."""
ALIKE, ALIKE_HAN = 0.4, 0.5
"""Likeness in meaning from which a part is of the fragment's kind; short Chinese words are all somewhat alike."""
SAME_PLACE, SOME_PLACE = 0.2, 0.1
"""Added likeness of a fragment and a part that follow the same preposition, or any prepositions."""
NEXT_TO_BEST = 0.06
"""Difference in likeness below which the longest part is preferred."""
MOST_WORDS, MORE_CHARACTERS = 6, 4
WHOLE_EXTENT = ("worldwide", "in total")
OF_EXTENT = 0.57
"""Likeness to these, on the mean, from which a fragment asks for all places: of nine such the least had 0.60, of twenty
others the most 0.47."""
PREPOSITION = pattern(r"^(?:of|for|in|on|at|with|about|to|from|by)\s+", re.IGNORECASE)
_NAME, _AND = r"[A-Z][\w.]*(?:\s+[A-Z][\w.]*)*", r"\s+and\s+(?:the\s+)?"
_WORD_OR_HAN = pattern(rf"[{HAN}]|[^\W{HAN}]+(?:[-.][^\W{HAN}]+)*")
_APART = pattern("|".join(sorted(HAN_PHRASES, key=len, reverse=True)) + "|[的，、：]")


@dataclass(frozen=True, slots=True)
class _Part:
    text: str
    before: str = ""
    """The preposition in front of it."""


def counterpart(fragment: str, standing: str, encoder: Embedder | None) -> tuple[str, str]:
    """(part of the earlier question, what takes its place); two empty texts where no part is of the fragment's kind."""
    if place := _place_of(standing, fragment, encoder):
        return _with_others(place, standing), fragment
    led = PREPOSITION.match(fragment)
    new = fragment[led.end() :] if led else fragment
    plain = without_article(new)
    found = _han_parts(standing, len(plain)) if HAN_CHARACTER.search(plain) else _parts(standing)
    parts = [part for part in dict.fromkeys(found) if part.text.casefold() != plain.casefold()]
    parts = [part for part in parts if part.text.isdigit() == plain.isdigit()]
    if not parts:
        return "", ""
    of_size = [part.text for part in parts if len(part.text.split()) == len(plain.split())]
    best = max(of_size, key=lambda text: _shared(text, plain), default="")
    if not best or _shared(best, plain) < LIKE:
        best = _alike(plain, led.group().strip().casefold() if led else "", parts, encoder)
    return (_with_others(_whole(best, plain, standing), standing), new) if best else ("", "")


def _place_of(standing: str, fragment: str, encoder: Embedder | None) -> str:
    """Return the place in the earlier question that a fragment for all places replaces; "" without one."""
    place = place_in(standing)
    is_year = any(map(str.isdigit, place))
    return place if place and not is_year and _asks_for_all(fragment, encoder) else ""


def _asks_for_all(fragment: str, encoder: Embedder | None) -> bool:
    """ "worldwide", "in total": no part of a question is like these."""
    if encoder is None or not encoder.semantic:
        return False
    vectors = np.asarray(encoder.embed([fragment, *WHOLE_EXTENT]), dtype=float)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return float((vectors[1:] @ vectors[0]).mean()) >= OF_EXTENT


def _shared(one: str, other: str) -> float:
    """0..1: share of common leading and trailing characters."""
    begin = _common(one, other)
    return (begin + _common(one[begin:][::-1], other[begin:][::-1])) / max(len(one), len(other), 1)


def _common(one: str, other: str) -> int:
    """Number of common leading characters."""
    return len(list(takewhile(lambda pair: pair[0] == pair[1], zip(one.casefold(), other.casefold(), strict=False))))


def _alike(plain: str, place: str, parts: Sequence[_Part], encoder: Embedder | None) -> str:
    """The part whose meaning and place are most like the fragment's; "" where none is alike."""
    if encoder is None or not encoder.semantic:
        return ""
    vectors: Any = np.asarray(encoder.embed([plain, *(part.text for part in parts)]), dtype=float)
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    likeness = vectors[1:] @ vectors[0] + [_in_place(place, part) for part in parts]
    enough = ALIKE_HAN if HAN_CHARACTER.search(plain) else ALIKE
    least = max(enough, float(likeness.max()) - NEXT_TO_BEST)
    near = [(len(part.text), value, part.text) for part, value in zip(parts, likeness, strict=True) if value >= least]
    return max(near)[2] if near else ""


def _in_place(place: str, part: _Part) -> float:
    if not place or not part.before:
        return 0.0
    return SAME_PLACE if place == part.before else SOME_PLACE


def _parts(standing: str) -> Iterator[_Part]:
    """Runs of words that begin and end with a word of content and have no preposition but "of" inside."""
    words = standing.rstrip("?!. ").split()
    for begin in range(len(words)):
        for end in range(begin + 1, min(len(words), begin + MOST_WORDS) + 1):
            run = words[begin:end]
            if not (content_terms(run[0]) and content_terms(run[-1])):
                continue
            if not any(_is_preposition(word) and word.casefold() != "of" for word in run):
                yield _Part(" ".join(run), _preposition_before(words[:begin]))


def _preposition_before(words: Sequence[str]) -> str:
    ahead = [word.casefold() for word in words[-2:] if word.casefold() not in ARTICLES]
    return ahead[-1] if ahead and _is_preposition(ahead[-1]) else ""


def _is_preposition(word: str) -> bool:
    return PREPOSITION.match(f"{word} ") is not None


def _han_parts(standing: str, length: int) -> Iterator[_Part]:
    """Runs of two or more characters between the function words; Latin words are not cut."""
    for piece in _APART.split(standing):
        signs = list(_WORD_OR_HAN.finditer(piece))
        for begin in range(len(signs)):
            for end in range(begin, len(signs)):
                text = piece[signs[begin].start() : signs[end].end()]
                if len(text) > length + MORE_CHARACTERS:
                    break
                if len(text) >= 2 and content_terms(text[:2]) and content_terms(text[-2:]):
                    yield _Part(text)


def _whole(part: str, plain: str, standing: str) -> str:
    """Return the part with its article and own words: "the Gold Star members" for the fragment "Business members"."""
    if HAN_CHARACTER.search(part):
        return part
    words, own = standing[: standing.find(part)].split(), part.split()
    same_head = own[-1].casefold() == plain.split()[-1].casefold()
    while same_head and words and content_terms(words[-1]):
        named = words[-1][0].isupper() and own[0][0].isupper()
        if len(own) >= len(plain.split()) and not named:
            break
        own.insert(0, words.pop())
    return " ".join([*(words[-1:] if words and words[-1].casefold() in ARTICLES else ()), *own])


def _with_others(part: str, standing: str) -> str:
    """Return the part with a name coordinated with it: "the U.S. and Canada"."""
    if not part.split()[-1][0].isupper():
        return part
    beside = re.search(rf"(?:(?:the\s+)?{_NAME}{_AND})?{re.escape(part)}(?:\.?{_AND}{_NAME}|\.(?=\s))?", standing)
    return beside.group() if beside else part
