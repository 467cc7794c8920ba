"""The first hop: chunks or summaries relevant to the query, found by words, by vectors and by title."""

import re
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace

from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import pattern
from core.platform.language.sentences import sentences
from core.platform.language.terms import query_terms
from core.search.ports import ChunkIndex, LexicalIndex, Nearness, Passages
from core.search.retrieval.names import names_in_question
from core.search.retrieval.ranking import RankedChunk, Signals, VectorWeight, Weights, prominence, relative, strength

POOL = 40
"""Hits requested from each index."""
COMPARED = 5
"""Best candidates whose texts are compared."""
MAX_CHARACTERS = 4_000
"""Terms per query; no question is longer."""
MAX_TERMS = 64
EVERYWHERE: tuple[str, ...] = ()
SPACED = 100
UNSPACED = 33
"""Characters of about a sentence, by whether the language puts spaces between words."""


@dataclass(slots=True)
class QuerySearch:
    """One query and what is known about its candidates so far."""

    base_id: str
    level: str
    query: str
    terms: list[str] = field(default_factory=list)
    weights: Weights = field(default_factory=Weights)
    """Weights of the terms, by their rarity in the base."""
    candidates: dict[str, RankedChunk] = field(default_factory=dict)

    def copied(self) -> "QuerySearch":
        """A copy to which links can be added without changing this search."""
        return replace(self, candidates={id: candidate.copied() for id, candidate in self.candidates.items()})


class FirstHop:
    def __init__(
        self,
        passages: Passages,
        lexical_index: LexicalIndex,
        chunk_index: ChunkIndex | None,
        vector_weight: VectorWeight,
    ) -> None:
        """chunk_index: None as long as there are no vectors."""
        self._passages = passages
        self._lexical_index = lexical_index
        self._chunk_index = chunk_index
        self._vector_weight = vector_weight
        self._remembered: dict[tuple[object, ...], QuerySearch] | None = None

    def of_one_question(self) -> "FirstHop":
        """A copy that makes each search once."""
        own = copy(self)
        own._remembered = {}
        return own

    def find(
        self, base_id: str, level: str, query: str, scopes: Sequence[Sequence[str]] = (EVERYWHERE,)
    ) -> QuerySearch:
        """Candidates of all scopes together; a scope is a set of documents, or empty for the whole base."""
        if self._remembered is None:
            return self._found(base_id, level, query, scopes)
        key = base_id, level, query, tuple(map(tuple, scopes))
        if key not in self._remembered:
            self._remembered[key] = self._found(base_id, level, query, scopes)
        return self._remembered[key].copied()

    def _found(self, base_id: str, level: str, query: str, scopes: Sequence[Sequence[str]]) -> QuerySearch:
        search = QuerySearch(base_id, level, searchable(query[:MAX_CHARACTERS]))
        search.terms = list(dict.fromkeys(query_terms(search.query)))[:MAX_TERMS]
        count, frequencies = self._lexical_index.frequencies(base_id, level, search.terms)
        if not count:
            return search
        search.weights = Weights.by_rarity(count, frequencies)
        bm25: dict[str, float] = {}
        cosine: dict[str, float] = {}
        for scope in scopes:
            bm25 |= self._lexical_index.search(base_id, level, search.query, POOL, scope)
            if self._chunk_index:
                cosine |= self._chunk_index.search(base_id, level, search.query, POOL, scope)
        named = self._named(search, {document for scope in scopes for document in scope} if all(scopes) else set())
        add(self._lexical_index, search, {"lexical": [*bm25, *named], "vector": cosine})
        self._weigh(search, bm25, named, cosine)
        if level == "chunks":
            self._compare_proximity(search)
        return search

    def _weigh(
        self, search: QuerySearch, bm25: Mapping[str, float], named: Mapping[str, float], cosine: Mapping[str, float]
    ) -> None:
        """Computes the candidates' signals."""
        met = strength(bm25, search.weights.total)
        lexical = relative(bm25, met)
        near = self._nearness(search)
        known = {id: each.cosine if each.cosine is not None else cosine.get(id) for id, each in near.items()}
        found = {id: value for id, value in known.items() if value is not None}
        vector = prominence(found, min((found[id] for id in cosine if id in found), default=0.0))
        unspaced = is_unspaced(search.query)
        weights = {foreign: self._vector_weight(met, foreign) for foreign in (False, True)}
        for id, candidate in search.candidates.items():
            candidate.foreign = id in near and near[id].unspaced != unspaced
            candidate.signals = Signals(
                lexical.get(id, 0.0),
                candidate.signals.coverage,
                named.get(id, 0.0),
                vector.get(id, 0.0),
                weights[candidate.foreign],
            )
        self._compare_nearness(search, near)

    def _compare_nearness(self, search: QuerySearch, near: Mapping[str, Nearness]) -> None:
        """Compares candidates of one script: cosines within a language are larger than those from one to another."""
        by_script: dict[bool, dict[str, float]] = {False: {}, True: {}}
        for id, candidate in search.candidates.items():
            if id in near and (cosine := near[id].cosine) is not None:
                by_script[candidate.foreign][id] = cosine
        for cosines in by_script.values():
            mean = sum(cosines.values()) / max(1, len(cosines))
            for id, cosine in cosines.items():
                search.candidates[id].nearness = cosine - mean

    def _compare_proximity(self, search: QuerySearch) -> None:
        """Compares the first candidates in the query's script, so that the order of these alone changes."""
        own = [id for id, candidate in search.candidates.items() if not candidate.foreign]
        first = sorted(own, key=lambda id: search.candidates[id].log_odds(), reverse=True)[:COMPARED]
        window = UNSPACED if is_unspaced(search.query) else SPACED
        shares = {
            id: proximity(text, search.candidates[id].held, search.weights, window)
            for id, text in self._passages.texts(first).items()
        }
        mean = sum(shares.values()) / max(1, len(shares))
        for id, share in shares.items():
            search.candidates[id].proximity = share - mean

    def _nearness(self, search: QuerySearch) -> dict[str, Nearness]:
        """Nearness of all candidates, those found by words included."""
        if not self._chunk_index:
            return {}
        return self._chunk_index.nearness(search.base_id, search.level, search.query, list(search.candidates))

    def _named(self, search: QuerySearch, documents: set[str]) -> dict[str, float]:
        """Entries whose title or heading occurs in the query, with the share of the query that the name covers."""
        found: dict[str, float] = {}
        names = names_in_question(search.query)
        for id, document, name in self._lexical_index.titled(search.base_id, search.level, names, search.query, POOL):
            if not documents or document in documents:
                found[id] = max(found.get(id, 0.0), search.weights.share(set(query_terms(name))))
        return found


def add(lexical_index: LexicalIndex, search: QuerySearch, found: Mapping[str, Iterable[str]]) -> None:
    """Candidates by the search that found them; new ones with their matching terms and the weights of these."""
    new = list(dict.fromkeys(id for ids in found.values() for id in ids if id not in search.candidates))
    held = lexical_index.matches(search.base_id, search.level, search.terms, new)
    shares = {terms: search.weights.share(terms) for terms in set(held.values())}  # many hold the same
    for id in new:
        if id in held:
            search.candidates[id] = RankedChunk(held[id], Signals(coverage=shares[held[id]]))
    for source, ids in found.items():
        for id in ids:
            if id in search.candidates:
                search.candidates[id].sources.add(source)


_INSTRUCTION = pattern(
    r"^\W*(?:(?:please|kindly)\b.*\b(?:answer|respond|reply|write|format|round|list|output|return|express)"
    r"|(?:answer|anwser|respond|reply|round|output|format|express)\b"
    r"|(?:your|the) (?:answer|output|response) (?:should|must|is)\b"
    r"|(?:write|give|return|provide|state) (?:down )?(?:your |the )?(?:answer|result|output|response)"
    r"|(?:for example|e\.g\.)\s*[:,]?\s*[\[\"'(\d]"
    r"|请?用(?:中文|英文|简体|繁体|一句话|列表)|请?(?:回答|输出)|答案(?:请|应|需|以|保留))",
    re.IGNORECASE,
)
_GLUED = re.compile(r"([?？])(?=\w)")


def searchable(question: str) -> str:
    """The question without later sentences that only describe the form of the answer ("Round it.")."""
    first, *later = sentences(_GLUED.sub(r"\1 ", question)) or [question]
    return " ".join([first, *(sentence for sentence in later if not _INSTRUCTION.match(sentence))])


def proximity(text: str, terms: Iterable[str], weights: Weights, window: int) -> float:
    """The largest share of the query's weight that begins within `window` characters of the text, 0..1.

    An answer holds the words of a query in one sentence, not all over a page. terms: those that the text holds. They
    are looked up verbatim, because splitting texts into words and stemming takes as long as the search: a form that
    its stem does not begin, or a traditional character, is missed.
    """
    places = _places(text.lower(), [term for term in terms if term in weights.of])
    inside = dict.fromkeys(weights.of, 0)
    weight = best = 0.0
    first = 0
    for at, term in places:
        weight += 0.0 if inside[term] else weights.of[term]
        inside[term] += 1
        while places[first][0] < at - window:
            left = places[first][1]
            inside[left] -= 1
            weight -= 0.0 if inside[left] else weights.of[left]
            first += 1
        best = max(best, weight)
    return best / weights.total if weights.total else 0.0


def _places(text: str, terms: Iterable[str]) -> list[tuple[int, str]]:
    """Positions of the terms, in order."""
    found: list[tuple[int, str]] = []
    for term in terms:
        at = text.find(term)
        while at >= 0:
            found.append((at, term))
            at = text.find(term, at + len(term))
    found.sort()
    return found
