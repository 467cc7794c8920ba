"""The first hop: chunks or summaries that speak of the query, found by words, by vectors and by title."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from core.language.terms import query_terms
from core.ports import ChunkIndex, LexicalIndex
from core.retrieval.names import names_in_question
from core.retrieval.question import searchable
from core.retrieval.ranking import Candidate, Signals, Weights, prominence, relative, strength

POOL = 40
"""Hits asked of each index."""
MAX_CHARACTERS = 4_000
"""Of a query; no question is longer."""
MAX_TERMS = 64
EVERYWHERE: tuple[str, ...] = ()


@dataclass(slots=True)
class Search:
    """One query and what is known of its candidates so far."""

    base_id: str
    level: str
    query: str
    terms: list[str] = field(default_factory=list)
    weights: Weights = field(default_factory=Weights)
    """Of the terms, by their rarity in the base."""
    candidates: dict[str, Candidate] = field(default_factory=dict)


class FirstHop:
    def __init__(self, chunk_index: ChunkIndex, lexical_index: LexicalIndex) -> None:
        self._chunk_index = chunk_index
        self._lexical_index = lexical_index

    def find(self, base_id: str, level: str, query: str, scopes: Sequence[Sequence[str]] = (EVERYWHERE,)) -> Search:
        """Candidates of all scopes together; a scope is a set of documents, empty for the whole base."""
        search = Search(base_id, level, searchable(query[:MAX_CHARACTERS]))
        search.terms = list(dict.fromkeys(query_terms(search.query)))[:MAX_TERMS]
        search.weights = Weights.by_rarity(*self._lexical_index.frequencies(base_id, level, search.terms))
        bm25: dict[str, float] = {}
        cosine: dict[str, float] = {}
        for scope in scopes:
            bm25 |= self._lexical_index.search(base_id, level, search.query, POOL, scope)
            cosine |= self._chunk_index.search(base_id, level, search.query, POOL, scope)
        met = strength(bm25, search.weights.total)
        lexical, vector = relative(bm25, met), prominence(cosine, met)
        named = self._named(search, {document for scope in scopes for document in scope} if all(scopes) else set())
        self.add(search, {"lexical": [*lexical, *named], "vector": vector})
        for id, candidate in search.candidates.items():
            coverage = search.weights.share(candidate.held)
            candidate.signals = Signals(lexical.get(id, 0.0), coverage, named.get(id, 0.0), vector.get(id, 0.0))
        return search

    def add(self, search: Search, found: Mapping[str, Iterable[str]]) -> None:
        """Candidates by the search that found them; new ones with the terms that they hold and what these are worth."""
        new = [id for ids in found.values() for id in ids if id not in search.candidates]
        held = self._lexical_index.matches(search.base_id, search.level, search.terms, list(dict.fromkeys(new)))
        for id, terms in held.items():
            search.candidates[id] = Candidate(terms, Signals(coverage=search.weights.share(terms)))
        for source, ids in found.items():
            for id in ids:
                if id in search.candidates:
                    search.candidates[id].sources.add(source)

    def _named(self, search: Search, documents: set[str]) -> dict[str, float]:
        """Entries whose title or heading the query names, with the share of the query that is the name."""
        found: dict[str, float] = {}
        names = names_in_question(search.query)
        for id, document, name in self._lexical_index.titled(search.base_id, search.level, names, search.query, POOL):
            if not documents or document in documents:
                found[id] = max(found.get(id, 0.0), search.weights.share(set(query_terms(name))))
        return found
