"""The words of a text as index and query see them: one form for case, width, script, accents, inflection."""

import re
import unicodedata
from functools import cache, lru_cache
from threading import Lock
from typing import Any

from core.language.stopwords import ENGLISH, HAN_PARTICLES, HAN_PHRASES

_RUNS = (
    r"\u0e00-\u0eff\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
)
"""Scripts written without spaces (and Hangul, whose particles stick to the word): read in pairs of characters."""
_LETTER = rf"[^\W\d_{_RUNS}]"
_TOKEN = re.compile(
    rf"(?P<run>[{_RUNS}]+)"
    rf"|(?P<number>\d{{1,3}}+(?:,\d{{3}})++(?:\.\d++)?(?!\d|{_LETTER})|\d++(?:\.\d++)*+(?![\-‐‑]?{_LETTER}))"
    rf"|(?P<word>[^\W_{_RUNS}]+(?:['’\-‐‑][^\W_{_RUNS}]+)*)"
)
_HAN = re.compile(r"[\u3400-\u9fff\uf900-\ufaff]")
_INVISIBLE = re.compile(r"[\u00ad\u200b-\u200f\u2060\ufeff\u0300-\u036f]")
_PARTS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W\d_A-Z]+|\d+")
_JOINS = re.compile(r"[\-‐‑]")
_YEAR = re.compile(r"([A-Za-z]+)((?:19|20)\d\d)")
MAX_WORD = 64
"""Characters of a word that count; what is longer is no word."""
_STEMMING = Lock()
"""The stemmer keeps the word it works on in itself."""


def terms(text: str) -> list[str]:
    """Every term in reading order.

    English words are stemmed, compounds (bi-encoder, TableFormer) give the whole and its parts, 2,021 is 2021, runs of
    Chinese, Japanese, Korean or Thai characters give overlapping pairs, traditional characters become simplified ones.
    """
    return [term for term, _ in _walk(text)]


def content_terms(text: str) -> list[str]:
    """The terms that carry meaning: no function words, question words or particles. Always a part of terms(text)."""
    return [term for term, is_content in _walk(text) if is_content]


def query_terms(text: str) -> list[str]:
    """The content terms, or all terms when a question has nothing but function words ("The Who")."""
    return content_terms(text) or terms(text)


def normal_form(text: str) -> str:
    """Width, script, accents and invisible characters levelled; case and length in characters may change."""
    if text.isascii():
        return text
    decomposed = _INVISIBLE.sub("", unicodedata.normalize("NFKD", text))
    composed = unicodedata.normalize("NFC", decomposed)
    return str(_simplifier().convert(composed)) if _HAN.search(composed) else composed


def _walk(text: str) -> list[tuple[str, bool]]:
    """(term, carries meaning) in reading order."""
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
    in_phrase = {i for match in _phrases().finditer(run) for i in range(*match.span())}
    weak = [i in in_phrase for i in range(len(run))]
    return [(run[i : i + 2], not (weak[i] or weak[i + 1] or _particles(run[i : i + 2]))) for i in range(len(run) - 1)]


def _particles(pair: str) -> bool:
    return pair[0] in HAN_PARTICLES and pair[1] in HAN_PARTICLES


@lru_cache(maxsize=200_000)
def _word(token: str) -> tuple[tuple[str, bool], ...]:
    """Stems of a word; of a compound the whole first, then the parts."""
    plain = token.replace("’", "'")
    whole = _JOINS.sub("", plain)
    parts = [part for piece in _JOINS.split(plain) for part in _camel(piece)]
    words = [whole] if len(parts) < 2 else [whole, *parts]
    return tuple((_stem(folded), folded not in ENGLISH) for folded in (word.casefold() for word in words))


def _camel(piece: str) -> list[str]:
    """TableFormer -> Table, Former; FY2021 -> FY, 2021; an all-capital, all-lower or capitalised piece stays whole."""
    if year := _YEAR.fullmatch(piece):
        return [*year.groups()]
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
def _simplifier() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


@cache
def _phrases() -> re.Pattern[str]:
    return re.compile("|".join(sorted(HAN_PHRASES, key=lambda phrase: (-len(phrase), phrase))))
