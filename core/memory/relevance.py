"""Which memories bear on a query, how surely, and which of them are recalled: by words, meaning, days and neighbours.

The evidence of words and meaning is weighed as for passages of documents. What is added here was chosen on five of the
ten conversations of a public set and checked on the others; `python -m benchmarks long_conversations` measures it.
"""

import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import chain, pairwise

import numpy as np
from numpy.typing import NDArray

from core.memory.model import Found, Memory, MemoryKind
from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import pattern
from core.platform.language.periods import Period, period_in
from core.platform.language.terms import query_terms, terms
from core.search.retrieval.ranking import (
    RankedChunk,
    Signals,
    VectorWeight,
    Weights,
    prominence,
    relative,
    strength,
    weight_of_hashed_words,
)

K1, B = 1.2, 0.75
MAX_TERMS = 64
BACKGROUND = 40
"""Number of the nearest memories that stand out from the others in meaning."""
UNLIKE = 0.1
"""Cosine that fewer stand out from at least: on average that of a question and a statement that does not answer it."""
BESIDE = 2.0
"""Largest gain of a memory next to a certain one of the same chat: one often asks what the other answers."""
IN_TIME = 1.5
"""Gain of a memory of the days that the query names."""
RELEVANT = 0.1
"""The score from which a memory is shown or recalled: three in four of the turns that answer a question reach it, and
of the memories of other people the best one for two in three questions, seldom a second one."""
LIKELY = 0.5
"""The score from which a memory without words of the query likelier bears on it than not."""
IMPORTANT = 0.1
"""What each step above the middle one of importance adds."""
REMEMBERED = 4_000
"""Limit of the texts whose terms are cached (8 MB)."""
_SIDE = pattern(
    r"\b(?P<en>before|until|after|since)\s+(?P<event>(?:the|my|our|his|her|their|i|we)\b.+)"
    r"|(?P<han>[^，,。？?]{2,20}?)(?P<zh>之前|以前|之后|之後|以后|以後)",
    re.IGNORECASE,
)
_EARLIER = {"before", "until", "之前", "以前"}
BEST = 3
STALE_WEIGHT = 0.5
"""Factor for a memory whose knowledge base has changed since; further changes reduce it a little more."""
_NOT = 3


@dataclass(frozen=True, slots=True)
class Moment:
    """The time before or after the event of a memory."""

    when: datetime
    earlier: bool

    def holds(self, moment: datetime) -> bool:
        return moment < self.when if self.earlier else moment > self.when


def found_among(
    query: str, memories: Sequence[Memory], cosines: Sequence[float], vector_weight: VectorWeight, now: datetime
) -> list[Found]:
    """All of them, best first. cosines: of each memory with the query."""
    if not memories:
        return []
    odds = np.array(_log_odds(query, memories, cosines, vector_weight))
    if time := _time_of(query, memories, now):
        odds += IN_TIME * np.array([time.holds(memory.created_at) for memory in memories])
    beside = np.array(_beside(memories, _probabilities(odds)))
    important = IMPORTANT * (np.array([memory.importance for memory in memories]) - 5)
    scores = _probabilities(odds + BESIDE * beside + important)
    scored = map(Found, memories, scores)
    return sorted(scored, key=lambda found: (found.score, found.memory.created_at, found.memory.id), reverse=True)


def _probabilities(log_odds: NDArray[np.float64]) -> list[float]:
    probabilities: list[float] = (1.0 / (1.0 + np.exp(-log_odds.clip(-30.0, 30.0)))).tolist()
    return probabilities


def probability_of_answer(found: Found, log_odds: float, personal: float) -> float:
    """How likely it answers the question.

    log_odds: of the cross-encoder that reads both; personal: margin of StatementMeanings.asks_of_self.

    Fitted by `python -m benchmarks.told_memories fit` on the questions of 42 people, 210 of which one of their 326
    statements answers and 84 none, and on others for documents.
    """
    score = min(max(found.score, 1e-6), 1 - 1e-6)
    odds = 0.61 * math.log(score / (1 - score)) + 0.58 * log_odds + 0.17 * personal + 0.81
    return 1 / (1 + math.exp(-odds))


def relevant(found: Sequence[Found]) -> list[Memory]:
    return [one.memory for one in found if one.score >= RELEVANT]


def listed(query: str, found: Sequence[Found]) -> list[Memory]:
    """Those to show to a person who searches: with words of the query first, then those that likely mean it.

    What only stood next to a found one in its chat is recalled for an answer, but a reader cannot see why it is found.
    """
    asked = tuple(dict.fromkeys(query_terms(query)))[:MAX_TERMS]
    worded = [one for one in found if asked and any(term.startswith(asked) for term in _read(one.memory.text)[0])]
    known = {one.memory.id for one in worded}
    meant = [one for one in found if one.score >= LIKELY and one.memory.id not in known]
    return [one.memory for one in (*(one for one in worded if one.score >= RELEVANT), *meant)]


def found_by_words(query: str, memories: Sequence[Memory], now: datetime) -> list[Found]:
    """As found_among, where meanings cannot be compared."""
    return found_among(query, memories, [0.0] * len(memories), weight_of_hashed_words, now)


def _log_odds(
    query: str, memories: Sequence[Memory], cosines: Sequence[float], vector_weight: VectorWeight
) -> list[float]:
    read = [_read(memory.text) for memory in memories]
    counts, unspaced = [count for count, _ in read], is_unspaced(query)
    held, weights = _held(list(dict.fromkeys(query_terms(query)))[:MAX_TERMS], counts)
    bm25 = {at: score for at, score in enumerate(_bm25(held, counts, weights)) if score}
    met = strength(bm25, weights.total)
    lexical = relative(bm25, met)
    *_, standing = sorted(cosines, reverse=True)[:BACKGROUND]
    if len(cosines) < BACKGROUND:
        standing = min(standing, UNLIKE)  # a lone one would not stand out from itself
    similar = prominence(dict(enumerate(cosines)), standing)
    worth = {foreign: vector_weight(met, foreign) for foreign in (False, True)}
    shares = {terms: weights.share(terms) for terms in set(held)}  # many hold the same
    return [
        RankedChunk(
            signals=Signals(lexical.get(at, 0.0), shares[own], 0.0, similar[at], worth[read[at][1] != unspaced])
        ).log_odds()
        for at, own in enumerate(held)
    ]


def _held(asked: Sequence[str], counts: Sequence[Counter[str]]) -> tuple[list[frozenset[str]], Weights]:
    """Terms of the query that each memory has.

    A term that none has matches those that begin with it: the last word may be incomplete.
    """
    held = [frozenset(term for term in asked if term in count) for count in counts]
    frequencies = Counter(chain.from_iterable(held))
    if missing := tuple(term for term in asked if term not in frequencies):
        begun = {term for term in set().union(*counts) if term.startswith(missing)}
        if begun:
            return _held([*frequencies, *sorted(begun)[:MAX_TERMS]], counts)
    return held, Weights.by_rarity(len(counts), {term: frequencies[term] for term in asked})


def _bm25(held: Sequence[frozenset[str]], counts: Sequence[Counter[str]], weights: Weights) -> list[float]:
    lengths = [count.total() for count in counts]
    mean = sum(lengths) / len(lengths) or 1.0
    return [
        sum(
            weights.of[term] * count[term] * (K1 + 1) / (count[term] + K1 * (1 - B + B * length / mean)) for term in own
        )
        if own
        else 0.0
        for own, count, length in zip(held, counts, lengths, strict=True)
    ]


def _time_of(query: str, memories: Sequence[Memory], now: datetime) -> Period | Moment | None:
    if named := period_in(query, now):
        return named
    if not (side := _SIDE.search(query)):
        return None
    event = set(query_terms(side["event"] or side["han"]))
    closest = max(memories, key=lambda memory: len(event & _read(memory.text)[0].keys()))
    if not event & _read(closest.text)[0].keys():
        return None
    return Moment(closest.created_at, (side["en"] or side["zh"]).lower() in _EARLIER)


def _beside(memories: Sequence[Memory], scores: Sequence[float]) -> list[float]:
    """The better score of the two memories before and after each in its chat."""
    chats: dict[str, list[int]] = {}
    for at, memory in enumerate(memories):
        if memory.thread_id:
            chats.setdefault(memory.thread_id, []).append(at)
    best = [0.0] * len(memories)
    for chat in chats.values():
        for one, other in pairwise(sorted(chat, key=lambda at: memories[at].created_at)):
            best[one], best[other] = max(best[one], scores[other]), max(best[other], scores[one])
    return best


@lru_cache(REMEMBERED)
def _read(text: str) -> tuple[Counter[str], bool]:
    """How often it has each term, and whether it is written without spaces."""
    return Counter(terms(text)), is_unspaced(text)


@dataclass(frozen=True, slots=True)
class Recalled:
    memory: Memory
    stale: bool
    """Its knowledge base has changed since it was created."""


def best_of(found: Sequence[Found], versions: Mapping[str, int]) -> list[Recalled]:
    """The pinned first, then those that bear on the question, best first, then preferences.

    `versions` are the current index versions of knowledge bases by id.
    """
    fresh = [(freshness(one.memory, versions.get(one.memory.base_id, 0)), one) for one in found]
    ordered = sorted(fresh, key=lambda pair: (_rank(pair[1]), -pair[0] * pair[1].score, pair[1].memory.id))
    return [Recalled(one.memory, factor < 1) for factor, one in ordered if _rank(one) < _NOT][:BEST]


def freshness(memory: Memory, version: int) -> float:
    """1 while the memory's knowledge base is unchanged; less with every change. The user's own words do not age."""
    changes = version - memory.index_version
    if memory.kind is not MemoryKind.CONCLUSION or not memory.base_id or changes <= 0:
        return 1.0
    return STALE_WEIGHT / (1 + math.log(changes))


def _rank(found: Found) -> int:
    if found.memory.pinned:
        return 0
    if found.score >= RELEVANT:
        return 1
    return 2 if found.memory.kind is MemoryKind.PREFERENCE else _NOT
