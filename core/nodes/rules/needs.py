"""What an answer has to talk about: the question's content terms, weighed, and how much of them a text covers."""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from core.language.stopwords import HAN_PARTICLES
from core.language.terms import content_terms
from core.nodes.rules.questions import essence
from core.nodes.rules.synonyms import synonyms

SYNONYM_CREDIT = 0.7
CONTEXT_CREDIT = 0.6
"""What a term counts that stands not in the sentence itself but in its heading or the sentence before."""
NAME_IN_CONTEXT_CREDIT = 0.8
"""The same for a name: a section about a thing seldom repeats its name in every sentence."""
_STRONG = re.compile(
    r"[\w\-./]*(?:\d|(?<!^)[A-Z])[\w\-./]*|(?<=\s)[A-Z][\w\-]+|[\"“«《「『][^\"”»》」』]{2,40}[\"”»》」』]"
)
_ONE_HAN = re.compile(r"[\u3400-\u9fff]")
"""A single character says too little: texts hold it as a part of some pair."""
_LATIN_WORD = re.compile(r"[^\s\u3400-\u9fff]+")


@dataclass(frozen=True, slots=True)
class Needs:
    weights: dict[str, float]
    """Term of the question -> weight: rare ones weigh up to twice as much, parts of a compound share its weight."""
    names: frozenset[str]
    """Terms of names and numbers: without them a text speaks of something else."""

    @property
    def nothing(self) -> bool:
        return not self.weights

    def coverage(self, present: Iterable[str], context: Iterable[str] = ()) -> float:
        """0..1: the weighed share of the terms that are present; 1 when nothing is needed."""
        return self._share(self.weights, frozenset(present), frozenset(context))

    def names_covered(self, present: Iterable[str], context: Iterable[str] = ()) -> float:
        wanted = {term: weight for term, weight in self.weights.items() if term in self.names}
        return self._share(wanted, frozenset(present), frozenset(context))

    def rest_covered(self, present: Iterable[str], context: Iterable[str] = ()) -> float:
        """The same for the terms that are no names: what is asked about the names."""
        wanted = {term: weight for term, weight in self.weights.items() if term not in self.names}
        return self._share(wanted, frozenset(present), frozenset(context))

    def _share(self, weights: dict[str, float], present: frozenset[str], context: frozenset[str]) -> float:
        total = sum(weights.values())
        if not total:
            return 1.0
        return sum(weight * self._credit(term, present, context) for term, weight in weights.items()) / total

    def _credit(self, term: str, present: frozenset[str], context: frozenset[str]) -> float:
        if term in present:
            return 1.0
        others = synonyms(term)
        if others & present:
            return SYNONYM_CREDIT
        if term in context:
            return NAME_IN_CONTEXT_CREDIT if term in self.names else CONTEXT_CREDIT
        return CONTEXT_CREDIT * SYNONYM_CREDIT if others & context else 0.0


def needs_of(question: str, texts: Sequence[Iterable[str]] = ()) -> Needs:
    """texts are the terms of the candidate passages: a term that few of them have weighs more."""
    asked = essence(question)
    wanted = dict.fromkeys(term for term in content_terms(asked) if not _ONE_HAN.fullmatch(term))
    names = frozenset(term for match in _STRONG.findall(question) for term in content_terms(match)) & wanted.keys()
    sets = [frozenset(text) for text in texts]
    shares = _shares(asked)
    return Needs({term: _rarity(term, sets) * shares.get(term, 1.0) for term in wanted}, names)


def _shares(asked: str) -> dict[str, float]:
    """KelpNet gives kelpnet, kelp and net: each counts a third. A Han pair with a particle counts half."""
    shares: dict[str, float] = {}
    for word in _LATIN_WORD.findall(asked):
        parts = list(dict.fromkeys(content_terms(word)))
        shares |= {part: 1 / len(parts) for part in parts}
    pairs = (term for term in content_terms(asked) if len(term) == 2 and HAN_PARTICLES & set(term))
    return shares | dict.fromkeys(pairs, 0.5)


def _rarity(term: str, texts: Sequence[frozenset[str]]) -> float:
    """1 (every text has it) .. 2 (none has it)."""
    if not texts:
        return 1.0
    having = sum(term in text for text in texts)
    return 1 + math.log((len(texts) + 1) / (having + 1)) / math.log(len(texts) + 1)
