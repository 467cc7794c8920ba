"""Relevance of a chunk to a query, as log odds of search signals and links, and the order of hits. Pure functions.

The score is a logistic model, so that it is comparable between questions. Its weights were fitted on every second
question of the development sets (with answers, and with the answering passages taken out), rounded, and checked on the
others; `benchmarks/retrieval.py` measures them.
"""

import math
from collections.abc import Callable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from enum import Enum
from heapq import heapify, heappop, heappush
from typing import NamedTuple, TypeVar

from core.models.ports import PassageEmbedder

Key = TypeVar("Key")
VectorWeight = Callable[[float, bool], float]
"""(how well the words are met at best, 0..1; whether question and passage are written in different scripts) -> what a
vector that stands out from the background adds to the log odds."""


def weight_of_hashed_words(met: float, foreign: bool) -> float:
    """Weight of hashed words, which carry no more information than the words."""
    del foreign
    return 0.5 * (2.0 - met)


def weight_of_whole_passages(met: float, foreign: bool) -> float:
    del foreign
    return 6.0 * (2.0 - met)


def weight_of_sentences(met: float, foreign: bool) -> float:
    """Within one language words are better where they are met; from one script to another they cannot be."""
    return 8.0 if foreign else 1.0 + 9.0 * (1.0 - met) ** 4


def vector_weight_of(embedder: PassageEmbedder) -> VectorWeight:
    if not embedder.semantic:
        return weight_of_hashed_words
    return weight_of_whole_passages if embedder.embed_parts([]) is None else weight_of_sentences


class LinkKind(Enum):
    TITLE = "title"
    """The source names the chunk's title or heading."""
    ENTITY = "entity"
    """Both mention an entity that few documents mention."""
    SUMMARY = "summary"
    """The chunk is of a document whose summary was found."""


class Signals(NamedTuple):
    """Signals of the searches about one chunk; each 0..1 unless stated otherwise."""

    lexical: float = 0.0
    """BM25 as a share of the best chunk's, squared, less when even the best one is a poor match."""
    coverage: float = 0.0
    """Share of the query's weight covered by the chunk."""
    named: float = 0.0
    """Share of the query's weight that is the chunk's title, when the query names it."""
    similarity: float = 0.0
    """How far its vector stands out from the background."""
    vector_weight: float = 0.0
    """Weight of `similarity`, from a VectorWeight."""


NO_SIGNALS = Signals()


@dataclass(frozen=True, slots=True)
class Link:
    """Evidence for a chunk from another chunk; each 0..1."""

    source: float
    """Score of the chunk or summary where the link starts."""
    gain: float
    """Share of the query's weight covered by this chunk but not by the source."""
    rarity: float
    """1 if the link leads to a single chunk, less for more chunks."""
    kind: LinkKind


@dataclass(slots=True)
class RankedChunk:
    """A chunk and all evidence for it."""

    held: frozenset[str] = frozenset()
    """Terms of the query that it contains."""
    signals: Signals = NO_SIGNALS
    links: list[Link] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)
    foreign: bool = False
    """Whether it is known to be written in another script than the query."""
    proximity: float = 0.0
    """Share of the query's weight in one window of it, minus the mean of the first candidates; -1..1."""
    nearness: float = 0.0
    """Its cosine minus the mean of the candidates in its script; 0 where it is unknown."""

    def copied(self) -> "RankedChunk":
        return replace(self, links=[*self.links], sources={*self.sources})

    def log_odds(self) -> float:
        """Log odds of the signals by fitted weights, with the bonus of the best link."""
        lexical, coverage, named, similarity, vector_weight = self.signals
        title = min(1.0, 3.0 * named) if named else 0.0
        met = 4.0 * lexical + 2.8 * coverage + 1.1 * title
        signals = met + vector_weight * similarity - 3.9
        return signals + max(map(link_bonus, self.links)) if self.links else signals

    def score(self) -> float:
        return probability(self.log_odds())

    def order(self) -> float:
        order = self.log_odds() + PROXIMITY * self.proximity
        if self.links and not self.foreign:  # what a link leads to need not be like the question
            return order
        return order + NEARNESS * self.nearness


_LINK_WEIGHTS = {
    LinkKind.TITLE: (0.5, 6.0, 2.2),
    LinkKind.ENTITY: (-0.5, 5.5, 0.9),
    LinkKind.SUMMARY: (0.5, 0.0, 0.0),
}


def link_bonus(link: Link) -> float:
    """Bonus of a link for the log odds of its target; never negative."""
    constant, gain, rarity = _LINK_WEIGHTS[link.kind]
    return max(0.0, link.source * (constant + gain * link.gain + rarity * link.rarity))


def probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, log_odds))))


@dataclass(frozen=True, slots=True)
class Weights:
    """The weight of each query term, by its rarity."""

    of: Mapping[str, float] = field(default_factory=dict)
    total: float = 0.0

    @classmethod
    def by_rarity(cls, count: int, frequencies: Mapping[str, int]) -> "Weights":
        """`frequencies`: how many of the `count` entries contain each term; a term in none weighs most."""
        of = {term: math.log(1.0 + (count - held + 0.5) / (held + 0.5)) for term, held in frequencies.items()}
        return cls(of, sum(of.values()))

    def share(self, held: AbstractSet[str]) -> float:
        """Share of the total weight carried by the matching terms, 0..1; the order of the set makes no difference."""
        return math.fsum(self.of[term] for term in held if term in self.of) / self.total if self.total else 0.0


def strength(bm25: Mapping[Key, float], total: float) -> float:
    """How well the words of a query are met at best, 0..1: 1 is an ordinary passage with each of them once.

    total: weight of the query, which is about the BM25 of such a passage.
    """
    return min(1.0, max(bm25.values(), default=0.0) / total) if total else 0.0


def relative(bm25: Mapping[Key, float], strength: float) -> dict[Key, float]:
    """Scores as Signals.lexical: squared, because the first hits matter more than the order of the others."""
    best = max(bm25.values(), default=0.0)
    return {id: strength * (score / best) ** 2 for id, score in bm25.items()} if best > 0.0 else {}


def prominence(cosines: Mapping[Key, float], background: float) -> dict[Key, float]:
    """Cosines as Signals.similarity: above the background, which is the lowest of the nearest.

    Models differ in what a cosine of 0.7 means, but with all of them a good hit stands out from the others.
    """
    room = max(1e-6, 1.0 - background)
    return {id: min(1.0, max(0.0, (cosine - background) / room)) for id, cosine in cosines.items()}


NEARNESS = 20.0
"""Weight of RankedChunk.nearness in the order: a question in other words shares few of them with its answer. A logistic
regression says 18 (hotpotqa) to 47 (questions in people's own words)."""
REDUNDANCY = 4.0
"""Log odds that a chunk loses when better ones hold all that it holds of the query."""
PROXIMITY = 2.0
"""Weight of RankedChunk.proximity in the order: it compares candidates and is no evidence by itself."""
SPREAD = 10
"""Number of hits chosen for what they add to the ones before; the rest follow by score."""


def diversified(candidates: Mapping[str, RankedChunk], weights: Weights) -> list[str]:
    """Ids, best first. A question about A and B wants a chunk for each before a second one for A.

    Rounded, so that equals stay equal: processors differ in the last digits of a vector.
    """
    odds = {id: round(one.order(), 6) for id, one in candidates.items()}
    chosen: dict[str, None] = {}
    covered: set[str] = set()
    waiting = [(-value, id) for id, value in odds.items()]
    heapify(waiting)
    while waiting and len(chosen) < SPREAD:
        _, id = heappop(waiting)
        value = REDUNDANCY * weights.share(candidates[id].held & covered) - odds[id]
        if waiting and (value, id) > waiting[0]:
            heappush(waiting, (value, id))  # what is covered only grows, so no value falls again
        else:
            chosen[id] = None
            covered |= candidates[id].held
    others = sorted((id for id in odds if id not in chosen), key=lambda id: (-odds[id], id))
    return [*chosen, *others]
