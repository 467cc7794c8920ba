"""Weighted words of a question, and how much of them a text covers."""

import math
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.stopwords import HAN_PARTICLES
from core.platform.language.terms import content_terms
from core.rulebook.assessing.synonyms import synonyms
from core.rulebook.understanding.clauses import before_interrogative
from core.rulebook.understanding.questions import essence, strip_frames

SYNONYM_CREDIT = 0.7
CONTEXT_CREDIT = 0.6
"""Credit of a word in the heading of a sentence or in the sentence before it."""
NAME_IN_CONTEXT_CREDIT = 0.8
"""The same for a name: a section about a thing seldom repeats its name in every sentence."""
_LETTER = rf"[^\W{HAN}]"
_STRONG = pattern(
    rf"(?:{_LETTER}|[\-./])*(?:\d|(?<!^)[A-Z])(?:{_LETTER}|[\-./])*|(?<=\s)[A-Z](?:{_LETTER}|-)+"
    r"|[\"“«《「『][^\"”»》」』]{2,40}[\"”»》」』]"
)
_RUN = pattern(rf"(?P<han>[{HAN}]+)|[^\s{HAN}]+")
_SAYS_LITTLE = HAN_PARTICLES | frozenset("他她它给")
EVERY_NAME = 0.99
"""Share of the names from which a text has all of them."""
HAN_SHARE = 0.5
"""A character is half a word."""


@dataclass(frozen=True, slots=True)
class QuestionWord:
    """A word of the question, or a character of a Chinese one."""

    terms: frozenset[str]
    """Terms of which any one covers the word; of a character, the pairs that it forms in the question."""
    others: frozenset[str]
    """Synonyms."""
    share: float
    """Share of a whole word: parts of a compound share its weight, a character is half a word."""
    is_name: bool
    """Whether it belongs to a name, a number or the subject, without which a text is about something else."""

    def credit(self, present: AbstractSet[str]) -> float:
        if not self.terms.isdisjoint(present):
            return 1.0
        return 0.0 if self.others.isdisjoint(present) else SYNONYM_CREDIT

    def credits(self, present: AbstractSet[str], context: AbstractSet[str]) -> tuple[float, float]:
        """Return the credit by the text alone, and by the text or its context."""
        own = self.credit(present)
        around = NAME_IN_CONTEXT_CREDIT if self.is_name else CONTEXT_CREDIT
        return own, own if own >= around or not context else max(own, around * self.credit(context))


@dataclass(frozen=True, slots=True)
class TermCoverage:
    """Shares of a question that a text covers, each 0..1 and 1 without words to cover."""

    own: float = 1.0
    """Share of the question, by the text alone."""
    whole: float = 1.0
    """Share of the question, by the text or its context."""
    names: float = 1.0
    """Share of the names, by the text or its context."""


ALL_SPOKEN = TermCoverage()


@dataclass(frozen=True, slots=True)
class QuestionTerms:
    weights: tuple[tuple[QuestionWord, float], ...]
    """Rare words weigh up to twice as much."""
    terms: frozenset[str]
    """All terms that cover any of the words."""

    @property
    def nothing(self) -> bool:
        return not self.weights

    def coverage(self, present: Iterable[str], context: Iterable[str] = ()) -> float:
        """0..1: the weighted share of the question that is covered; 1 without words to cover."""
        return self.spoken(frozenset(present), frozenset(context)).whole

    def spoken(self, present: frozenset[str], context: frozenset[str] = frozenset()) -> TermCoverage:
        """Return the coverage by the terms of a text; context: terms of its heading and of the sentence before."""
        if not self.weights:
            return ALL_SPOKEN
        names, names_whole, total, own_total, whole_total = 0.0, 0.0, 0.0, 0.0, 0.0
        for word, weight in self.weights:
            own, whole = word.credits(present, context)
            total, own_total, whole_total = total + weight, own_total + weight * own, whole_total + weight * whole
            if word.is_name:
                names, names_whole = names + weight, names_whole + weight * whole
        return TermCoverage(
            own=own_total / total, whole=whole_total / total, names=names_whole / names if names else 1.0
        )


def question_terms_of(question: str, texts: Sequence[Iterable[str]] = ()) -> QuestionTerms:
    """texts: terms of the candidate passages; words that are rare among them weigh more."""
    words, terms = _words_of(question)
    return _weighed(words, terms, texts)


def _weighed(words: Iterable[QuestionWord], terms: frozenset[str], texts: Sequence[Iterable[str]]) -> QuestionTerms:
    sets = [terms.intersection(text) for text in texts]
    return QuestionTerms(tuple((word, word.share * _rarity(word.terms, sets)) for word in words), terms)


@lru_cache(64)
def _words_of(question: str) -> tuple[tuple[QuestionWord, ...], frozenset[str]]:
    """Return each word once, and every term that says one of them."""
    names = frozenset(term for match in _STRONG.findall(question) for term in content_terms(match))
    found: dict[frozenset[str], QuestionWord] = {}
    for terms, share, of_subject in _spelled(question):
        others = frozenset(other for term in terms for other in synonyms(term)) - terms
        found.setdefault(terms, QuestionWord(terms, others, share, of_subject or not terms.isdisjoint(names)))
    return tuple(found.values()), frozenset(term for word in found.values() for term in word.terms | word.others)


def _spelled(question: str) -> Iterator[tuple[frozenset[str], float, bool]]:
    """(terms, share of a word, whether it is of a Chinese question's subject).

    KelpNet gives kelpnet, kelp and net: each counts a third.
    """
    asked = essence(question)
    subject = subject_length(question, asked)
    for match in _RUN.finditer(asked):
        run, terms = match.group(), list(dict.fromkeys(content_terms(match.group())))
        if match["han"]:
            for at, held in _characters(run, frozenset(terms)):
                yield held, HAN_SHARE, match.start() + at < subject
        else:
            yield from ((frozenset([term]), 1 / len(terms), False) for term in terms)


def _characters(run: str, pairs: frozenset[str]) -> Iterator[tuple[int, frozenset[str]]]:
    """(place, its pairs that carry meaning) of every character that means something beside another.

    Weights by character keep chance pairs of two neighbouring words harmless.
    """
    for at, character in enumerate(run):
        held = pairs & {run[at : at + 2], run[max(0, at - 1) : at + 1]}
        if character not in _SAYS_LITTLE and any(len(pair) == 2 for pair in held):
            yield at, held


def _rarity(terms: frozenset[str], texts: Sequence[frozenset[str]]) -> float:
    """1 (every text has it) .. 2 (none has it)."""
    if not texts:
        return 1.0
    having = sum(not terms.isdisjoint(text) for text in texts)
    return 1 + math.log((len(texts) + 1) / (having + 1)) / math.log(len(texts) + 1)


_SUBJECT = pattern(rf"^([{HAN}《》·]{{2,}}?)(?:的|有|在|由|被|是|为|应|会|可|对|\s|(?=[A-Za-z\d]))")


def subject_length(question: str, asked: str) -> int:
    """Length of the subject at the beginning of a Chinese question's essence; 0 if unknown."""
    if before_interrogative(strip_frames(question)) == "":
        return 0
    subject = _SUBJECT.match(asked) if HAN_CHARACTER.search(asked) else None
    return len(subject[1]) if subject else 0
