"""Chinese words: the likeliest path through a dictionary's words, personal names and transliterated names."""

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from sys import intern
from typing import NamedTuple

from core.platform.errors import ConfigurationError
from core.rulebook.entities.lexicon import words

FOREIGN_TAG, UNKNOWN_TAG = "nrf", "x"
DOT = "·"
PERSON_TAG = "nr"
_LONGEST_WORD = 8
_LONGEST_FOREIGN = 14
_UNSEEN = 0.5
_COMPOUND_SURNAME = 40
_PERSON_PRIOR = math.log(0.004)
_SHORT_PERSON_PRIOR = math.log(0.0006)
_FOREIGN_PRIOR = math.log(0.004)
_SHORT_FOREIGN_PRIOR = math.log(0.00002)


class SegmentedWord(NamedTuple):
    start: int
    end: int
    text: str
    tag: str
    """jieba's part of speech; nrf for a transliterated name, x for an unknown character."""


class Entry(NamedTuple):
    logarithm: float
    """Natural logarithm of the word's probability."""
    tag: str


@dataclass(frozen=True, slots=True)
class Dictionary:
    """Words with probability and tag, and probabilities of characters in names."""

    logarithms: Mapping[str, float]
    """Natural logarithms of the words' probabilities."""
    tags: Mapping[str, str]
    longest: Mapping[str, int]
    """First character -> length of the longest word that starts with it."""
    unseen: float
    """Logarithm of the probability of a character that is no word."""
    surnames: Mapping[str, float]
    """Logarithms of the probabilities of family names, of characters of given names and of foreign ones."""
    given: Mapping[str, float]
    foreign: Mapping[str, float]

    def entry(self, word: str) -> Entry | None:
        logarithm = self.logarithms.get(word)
        return None if logarithm is None else Entry(logarithm, self.tags[word])


@cache
def dictionary() -> Dictionary:
    """jieba's dictionary, about 60 MB, read once.

    Reading the file directly avoids the cache that jieba leaves in /tmp. Raises ConfigurationError without jieba.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ConfigurationError("kg.no_dictionary")
    return _built(_rows(Path(spec.origin).with_name("dict.txt")))


def _rows(path: Path) -> Iterator[tuple[str, int, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            word, frequency, tag = line.split()
            yield word, int(frequency), intern(tag)


def _built(rows: Iterable[tuple[str, int, str]]) -> Dictionary:
    """Return the dictionary of (word, frequency, tag) rows in any order, without words longer than a path uses."""
    frequencies: dict[str, int] = {}
    tags: dict[str, str] = {}
    total = 0
    for word, frequency, tag in rows:
        total += frequency
        if len(word) <= _LONGEST_WORD:
            frequencies[word] = max(1, frequency)
            tags[word] = tag
    all_words = math.log(total or 1)
    by_frequency = {frequency: math.log(frequency) - all_words for frequency in set(frequencies.values())}
    logarithms = {word: by_frequency[frequency] for word, frequency in frequencies.items()}
    longest: dict[str, int] = {}
    for word in logarithms:
        longest[word[0]] = max(longest.get(word[0], 1), len(word))
    return Dictionary(logarithms, tags, longest, math.log(_UNSEEN) - all_words, *_name_characters(tags))


def _name_characters(tags: Mapping[str, str]) -> tuple[dict[str, float], dict[str, float], dict[str, float]]:
    family, sounds = words("zh_surnames"), words("zh_transliteration")
    surnames = Counter({name: _COMPOUND_SURNAME for name in family if len(name) == 2})
    given: Counter[str] = Counter()
    foreign: Counter[str] = Counter()
    for word, tag in tags.items():
        if tag[0] != "n":
            continue
        if tag == PERSON_TAG and len(word) in (2, 3) and word[0] in family:
            surnames[word[0]] += 1
            given.update(word[1:])
        if len(word) > 2 and tag in ("nrt", "nr", "ns", "nrfg") and sounds.issuperset(word):
            foreign.update(word)
    foreign[DOT] = 1 + sum(foreign.values()) // 12
    return _logarithms(surnames), _logarithms(given), _logarithms(foreign)


def _logarithms(counts: Counter[str]) -> dict[str, float]:
    total = sum(counts.values())
    return {key: math.log(count / total) for key, count in counts.items()}


def segment(text: str, start: int, end: int, dictionary: Dictionary) -> Iterator[SegmentedWord]:
    """The words of text[start:end], a stretch of Chinese characters (and interpuncts), in order."""
    length = end - start
    scores, stops, tags = [0.0] * (length + 1), [end] * length, [""] * length
    logarithm_of, longest, unseen = dictionary.logarithms.get, dictionary.longest.get, dictionary.unseen
    for position in range(end - 1, start - 1, -1):
        offset = position - start
        best, stop, tag = unseen + scores[offset + 1], position + 1, UNKNOWN_TAG
        for candidate in range(position + 1, min(position + longest(text[position], 0), end) + 1):
            score = logarithm_of(text[position:candidate])
            if score is not None and score + scores[candidate - start] > best:
                best, stop, tag = score + scores[candidate - start], candidate, ""
        for candidate, score, name_tag in _names(text, position, end, dictionary):
            if score + scores[candidate - start] > best:
                best, stop, tag = score + scores[candidate - start], candidate, name_tag
        scores[offset], stops[offset], tags[offset] = best, stop, tag
    position = start
    while position < end:
        stop, tag = stops[position - start], tags[position - start]
        word = text[position:stop]
        yield SegmentedWord(position, stop, word, tag or dictionary.tags[word])
        position = stop


def _names(text: str, start: int, end: int, dictionary: Dictionary) -> list[tuple[int, float, str]]:
    """(end, logarithm of the probability, tag) of every personal or foreign name that may start here."""
    found: list[tuple[int, float, str]] = []
    for length in (1, 2):
        score = dictionary.surnames.get(text[start : start + length])
        if score is not None:
            found += _given_names(text, start, start + length, min(start + length + 2, end), score, dictionary)
    if text[start] in dictionary.foreign and text[start] != DOT:
        found += _foreign_names(text, start, min(start + _LONGEST_FOREIGN, end), dictionary)
    return found


def _given_names(
    text: str, start: int, given: int, end: int, score: float, dictionary: Dictionary
) -> Iterator[tuple[int, float, str]]:
    for stop in range(given + 1, end + 1):
        added = dictionary.given.get(text[stop - 1])
        if added is None:
            return
        score += added
        yield stop, score + (_SHORT_PERSON_PRIOR if stop - start == 2 else _PERSON_PRIOR), PERSON_TAG


def _foreign_names(text: str, start: int, end: int, dictionary: Dictionary) -> Iterator[tuple[int, float, str]]:
    score = 0.0
    for stop in range(start + 1, end + 1):
        added = dictionary.foreign.get(text[stop - 1])
        if added is None:
            return
        score += added
        if stop - start > 1 and text[stop - 1] != DOT:
            yield stop, score + (_SHORT_FOREIGN_PRIOR if stop - start == 2 else _FOREIGN_PRIOR), FOREIGN_TAG
