"""Terms of a text for index and query: case, width, script, accents and inflection normalised."""

import re
import unicodedata
from collections.abc import Sequence
from functools import cache, lru_cache
from itertools import pairwise
from threading import Lock
from typing import Any

from core.platform.language.numbers import YEAR
from core.platform.language.scripts import HAN_CHARACTER, UNSPACED
from core.platform.language.stopwords import ENGLISH, HAN_PARTICLES, HAN_PHRASES

_LETTER = rf"[^\W\d_{UNSPACED}]"
_TOKEN = re.compile(
    rf"(?P<run>[{UNSPACED}]+)"
    rf"|(?P<number>\d{{1,3}}+(?:,\d{{3}})++(?:\.\d++)?(?!\d|{_LETTER})|\d++(?:\.\d++)*+(?![\-‐‑]?{_LETTER}))"
    rf"|(?P<word>[^\W_{UNSPACED}]+(?:['’\-‐‑][^\W_{UNSPACED}]+)*)"
)
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u036f]")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
MAX_WORD = 64
"""Longest term in characters; longer words are ignored."""
REMEMBERED, MOST_REMEMBERED = 256, 600
"""Cached texts (3 MB) and their maximum length: a question analyses most of its sentences and names twice."""
_STEMMING = Lock()
"""The stemmer is stateful while it works on a word."""


def terms(text: str) -> list[str]:
    """Every term in reading order.

    English words are stemmed, compounds (bi-encoder, TableFormer) give the whole and its parts, 2,021 is 2021, runs of
    Chinese, Japanese, Korean or Thai characters give overlapping pairs, traditional characters become simplified ones.
    """
    return [term for term, _ in _walk(text)]


def content_terms(text: str) -> list[str]:
    """Terms that carry meaning, without function words, question words or particles. Always a subset of terms(text)."""
    return [term for term, is_content in _walk(text) if is_content]


def content_words(text: str) -> list[str]:
    """The same as content_terms(), with English words unchanged, as encoders need them."""
    found: list[str] = []
    for match in _TOKEN.finditer(normal_form(text)):
        token = match.group()
        if match.lastgroup == "run":
            found += [pair for pair, is_content in _pairs(token) if is_content]
        elif token.casefold() not in ENGLISH:
            found.append(token[:MAX_WORD])
    return found


def query_terms(text: str) -> list[str]:
    """The content terms, or all terms if a question has only function words ("The Who")."""
    return content_terms(text) or terms(text)


def normal_form(text: str) -> str:
    """Width, script, accents and invisible characters normalised; case and length may change."""
    if text.isascii():
        return text
    decomposed = _INVISIBLE.sub("", unicodedata.normalize("NFKD", text))
    composed = unicodedata.normalize("NFC", decomposed)
    return str(simplifier().convert(composed)) if HAN_CHARACTER.search(composed) else composed


def _walk(text: str) -> Sequence[tuple[str, bool]]:
    """(term, carries meaning) in reading order."""
    return _walked_once(text) if len(text) <= MOST_REMEMBERED else _walked(text)


@lru_cache(REMEMBERED)
def _walked_once(text: str) -> tuple[tuple[str, bool], ...]:
    return tuple(_walked(text))


def _walked(text: str) -> list[tuple[str, bool]]:
    found: list[tuple[str, bool]] = []
    for match in _TOKEN.finditer(normal_form(text)):
        token = match.group()
        if match.lastgroup == "run":
            found += _pairs(token)
        elif match.lastgroup == "number":
            found.append((token.replace(",", ""), True))
        else:
            found += _word(token[:MAX_WORD])
    return found


def _pairs(run: str) -> list[tuple[str, bool]]:
    if len(run) == 1:
        return [(run, run not in HAN_PARTICLES)]
    particles = [character in HAN_PARTICLES for character in run]
    weak = [one and other for one, other in pairwise(particles)]
    for match in _phrases().finditer(run):
        start, end = max(0, match.start() - 1), min(match.end(), len(weak))  # pairs with a character of the phrase
        weak[start:end] = [True] * (end - start)
    return [(run[at : at + 2], not is_weak) for at, is_weak in enumerate(weak)]


@lru_cache(maxsize=200_000)
def _word(token: str) -> tuple[tuple[str, bool], ...]:
    """Stems of a word; for a compound, the whole first, then its parts."""
    plain = token.replace("’", "'").replace("‐", "-")
    whole = plain.replace("-", "")
    parts = [part for piece in plain.split("-") for part in _camel(piece)]
    words = [whole] if len(parts) < 2 else [whole, *parts]
    return tuple((_stem(folded), folded not in ENGLISH) for folded in (word.casefold() for word in words))


def _camel(piece: str) -> list[str]:
    """TableFormer -> Table, Former; FY2021 -> FY, 2021; an all-capital, all-lower or capitalised piece stays whole."""
    front, year = piece[:-4], piece[-4:]
    if front.isascii() and front.isalpha() and YEAR.fullmatch(year):
        return [front, year]
    if piece[1:].islower() or piece.isupper() or "'" in piece or not piece.isascii():
        return [piece]
    parts = _PARTS.findall(piece)
    return parts if all(len(part) > 1 for part in parts) else [piece]


def _stem(word: str) -> str:
    if not word.isascii() or word.isdigit():
        return word
    with _STEMMING:
        return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    from snowballstemmer import stemmer

    return stemmer("english")


@cache
def simplifier() -> Any:
    """The converter of traditional to simplified Chinese, which a process has once."""
    from opencc import OpenCC

    return OpenCC("t2s")


@cache
def _phrases() -> re.Pattern[str]:
    return re.compile("|".join(sorted(HAN_PHRASES, key=lambda phrase: (-len(phrase), phrase))))
