"""How sure we are that a chunk bears on a query: the signals of searches and links as log odds. Pure.

The score is a logistic model, so that it is comparable between questions. Its weights were fitted on every second
question of the development sets (with answers, and with the answering passages taken out), rounded, and checked on the
others; `tests/bench/retrieval.py` measures them.
"""

import math
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from enum import Enum

SEMANTIC_WEIGHT, WORD_WEIGHT = 6.0, 0.5
"""Of a vector that stands out from the background: one that knows more than the words do, and one that does not."""


class LinkKind(Enum):
    TITLE = "title"
    """The source names the chunk's title or heading."""
    ENTITY = "entity"
    """Both mention an entity that few documents mention."""
    SUMMARY = "summary"
    """The chunk is of a document whose summary was found."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the searches say of one chunk; each 0..1 where nothing else is said."""

    lexical: float = 0.0
    """BM25 as a share of the best chunk's, squared, less when even the best one is a poor match."""
    coverage: float = 0.0
    """Share of the query's weight that the chunk holds."""
    named: float = 0.0
    """Share of the query's weight that is the chunk's title, when the query names it."""
    similarity: float = 0.0
    """How far its vector stands out from the background; up to 2 where the words of the query find nothing."""


@dataclass(frozen=True, slots=True)
class Link:
    """A reason to look at a chunk that another chunk gives; each 0..1."""

    source: float
    """Score of the chunk or summary that the link comes from."""
    gain: float
    """Share of the query's weight that this chunk holds and the source does not."""
    rarity: float
    """1 when the link leads to one chunk alone, less the more it leads to."""
    kind: LinkKind


@dataclass(slots=True)
class Candidate:
    """A chunk and all that speaks for it."""

    held: frozenset[str] = frozenset()
    """Terms of the query that it holds."""
    signals: Signals = field(default_factory=Signals)
    links: list[Link] = field(default_factory=list)
    sources: set[str] = field(default_factory=set)

    def log_odds(self, semantic: bool) -> float:
        bonus = max((link_bonus(link) for link in self.links), default=0.0)
        return log_odds(self.signals, semantic) + bonus

    def score(self, semantic: bool) -> float:
        return probability(self.log_odds(semantic))


_LINK_WEIGHTS = {
    LinkKind.TITLE: (0.5, 6.0, 2.2),
    LinkKind.ENTITY: (-0.5, 5.5, 0.9),
    LinkKind.SUMMARY: (0.5, 0.0, 0.0),
}


def log_odds(signals: Signals, semantic: bool) -> float:
    vector = (SEMANTIC_WEIGHT if semantic else WORD_WEIGHT) * signals.similarity
    title = min(1.0, 3.0 * signals.named)
    return 4.0 * signals.lexical + 2.8 * signals.coverage + 1.1 * title + vector - 3.9


def link_bonus(link: Link) -> float:
    """What a link adds to the log odds of its target; never less than nothing."""
    constant, gain, rarity = _LINK_WEIGHTS[link.kind]
    return max(0.0, link.source * (constant + gain * link.gain + rarity * link.rarity))


def probability(log_odds: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, log_odds))))


@dataclass(frozen=True, slots=True)
class Weights:
    """What each term of a query is worth, by its rarity."""

    of: Mapping[str, float] = field(default_factory=dict)
    total: float = 0.0

    @classmethod
    def by_rarity(cls, count: int, frequencies: Mapping[str, int]) -> "Weights":
        """frequencies: how many of the count entries hold each term; a term that none holds weighs most."""
        of = {term: math.log(1.0 + (count - held + 0.5) / (held + 0.5)) for term, held in frequencies.items()}
        return cls(of, sum(of.values()))

    def share(self, held: AbstractSet[str]) -> float:
        """Part of the whole weight that the held terms carry, 0..1."""
        return sum(self.of[term] for term in held if term in self.of) / self.total if self.total else 0.0


def strength(bm25: Mapping[str, float], total: float) -> float:
    """How well the words of a query are met at best, 0..1: 1 is an ordinary passage with each of them once.

    total: weight of the query, which is about the BM25 of such a passage.
    """
    return min(1.0, max(bm25.values(), default=0.0) / total) if total else 0.0


def relative(bm25: Mapping[str, float], strength: float) -> dict[str, float]:
    """Scores as Signals.lexical: squared, because the first hits matter more than the order of the others."""
    best = max(bm25.values(), default=0.0)
    return {id: strength * (score / best) ** 2 for id, score in bm25.items()} if best > 0.0 else {}


def prominence(cosines: Mapping[str, float], strength: float) -> dict[str, float]:
    """Cosines as Signals.similarity: above the lowest, which stands for the background.

    Models differ in what a cosine of 0.7 means; what they agree on is that a good hit stands out from the others.
    Where words find nothing (another language, a paraphrase) the vectors count for more.
    """
    background = min(cosines.values(), default=0.0)
    room = max(1e-6, 1.0 - background)
    return {id: (2.0 - strength) * min(1.0, (cosine - background) / room) for id, cosine in cosines.items()}
