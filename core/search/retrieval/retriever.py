"""Hybrid search: words and vectors fused, summaries first, and second hops along names and shared entities."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cache, partial
from itertools import islice
from typing import NamedTuple

from core.documents.ports.library import Library
from core.graph.ports import KnowledgeGraph
from core.platform.language.detect import is_unspaced
from core.search.model import Hit, Passage
from core.search.ports import ChunkIndex, LexicalIndex, Passages
from core.search.retrieval.first_hop import EVERYWHERE, FirstHop, QuerySearch, add
from core.search.retrieval.index_integrity import IndexIntegrity, Searchable
from core.search.retrieval.names import names_in
from core.search.retrieval.ranking import Link, LinkKind, VectorWeight, diversified, weight_of_hashed_words

LINKED = 100
"""Chunks reachable through links of one kind."""
MOST_MENTIONS = 40
"""An entity with more mentions links nothing."""


class _Way(NamedTuple):
    source: str
    target: str
    kind: LinkKind
    rarity: float


class SecondHop:
    def __init__(self, passages: Passages, lexical_index: LexicalIndex, graph: KnowledgeGraph) -> None:
        self._passages = passages
        self._lexical_index = lexical_index
        self._graph = graph

    def follow(self, search: QuerySearch, scores: Mapping[str, float]) -> None:
        """Adds candidates that the sources link to. scores: of each source, 0..1."""
        if not scores:
            return
        passages = self._passages.get(list(scores))
        found = [passage.chunk.id for passage in passages]
        ways = [*self._by_title(search, passages), *self._by_entity(found)]
        add(self._lexical_index, search, {"graph": [way.target for way in ways]})
        for way in ways:
            target = search.candidates.get(way.target)
            if target:
                gain = search.weights.share(target.held - search.candidates[way.source].held)
                target.links.append(Link(scores[way.source], gain, way.rarity, way.kind))

    def _by_title(self, search: QuerySearch, passages: Sequence[Passage]) -> Iterator[_Way]:
        """Links to other documents only, because a text that repeats its own title proves nothing."""
        names = self._names(passages)
        wanted = list(dict.fromkeys(name for found in names.values() for name in found))
        homes: dict[str, list[tuple[str, str]]] = {}
        for id, document, name in self._lexical_index.titled(
            search.base_id, search.level, wanted, search.query, LINKED
        ):
            homes.setdefault(name, []).append((id, document))
        for passage in passages:
            for name in names[passage.chunk.id]:
                for target, document in homes.get(name, ()):
                    if document != passage.chunk.document_id:
                        yield _Way(passage.chunk.id, target, LinkKind.TITLE, len(homes[name]) ** -0.5)

    def _by_entity(self, chunk_ids: Sequence[str]) -> Iterator[_Way]:
        for source, target, spread in self._graph.sharing(chunk_ids, MOST_MENTIONS, LINKED):
            yield _Way(source, target, LinkKind.ENTITY, max(1, spread - 1) ** -0.5)

    def _names(self, passages: Sequence[Passage]) -> dict[str, list[str]]:
        """Possible names in each passage; in scripts without spaces, its entities mark where names begin and end."""
        unspaced = [passage.chunk.id for passage in passages if is_unspaced(passage.chunk.text)]
        entities = self._graph.of_chunks(unspaced) if unspaced else {}
        found = {passage.chunk.id: names_in(passage.chunk.text) for passage in passages}
        for chunk_id, own in entities.items():
            found[chunk_id] += [name for entity in own for name in (entity.name, *entity.aliases)]
        return found


SUMMARIES = 3
"""Documents found through summaries."""
SOURCES = 6
"""Best chunks from which hops may start."""
ROUNDS = ((6, 0.0), (3, 0.35))
"""Rounds of hops: most chunks to start from, and their least score. The second round starts from what the first one
found, for questions whose facts form a chain."""


class HybridRetriever:
    """Retriever. vector_weight: weight of vectors relative to words, which depends on the embedder."""

    def __init__(
        self,
        passages: Passages,
        integrity: IndexIntegrity,
        chunk_index: ChunkIndex,
        lexical_index: LexicalIndex,
        graph: KnowledgeGraph,
        vector_weight: VectorWeight,
    ) -> None:
        self._passages = passages
        self._lexical_index = lexical_index
        by_both = FirstHop(passages, lexical_index, chunk_index, vector_weight)
        self._first_hops: dict[Searchable, FirstHop | None] = {
            Searchable.NOT: None,
            Searchable.BY_WORDS: FirstHop(passages, lexical_index, None, vector_weight),
            Searchable.PARTLY: by_both,
            Searchable.BY_BOTH: by_both,
        }
        self._second = SecondHop(passages, lexical_index, graph)
        self._searchable = integrity.searchable

    def of_one_question(self, unfinished: Callable[[], None]) -> "HybridRetriever":
        """A retriever whose routes share the first hop, and that checks each level of a base once.

        unfinished: called once when vectors are missing that are still to be made.
        """
        own = copy(self)
        own._first_hops = {by: first and first.of_one_question() for by, first in self._first_hops.items()}
        own._searchable = cache(partial(self._noticed, cache(unfinished)))
        return own

    def _noticed(self, unfinished: Callable[[], None], base_id: str, level: str) -> Searchable:
        found = self._searchable(base_id, level)
        if found in (Searchable.BY_WORDS, Searchable.PARTLY):
            unfinished()
        return found

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return self._hits(self._found(base_id, "chunks", query, [documents]), limit)

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        search = self._found(base_id, "chunks", query, [documents])
        return [self._hit(search, id) for id in self._ranked(search)[: max(limit, 0)]]

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        summarised = self._summarised(base_id, query)
        scopes: list[Sequence[str]] = [EVERYWHERE, list(summarised)] if summarised else [EVERYWHERE]
        search = self._found(base_id, "chunks", query, scopes)
        found = list(search.candidates)
        homes = self._lexical_index.documents_of(base_id, "chunks", found) if summarised else {}
        for id, document in homes.items():
            if document in summarised:
                search.candidates[id].links.append(Link(summarised[document], 0.0, 1.0, LinkKind.SUMMARY))
                search.candidates[id].sources.add("summary")
        return self._hits(search, limit)

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        search = self._found(base_id, "chunks", query)
        followed: set[str] = set()
        for most, least in ROUNDS:
            best = [id for id in self._ranked(search)[:SOURCES] if id not in followed]
            sources = ((id, search.candidates[id].score()) for id in best)
            scores = dict(islice(((id, score) for id, score in sources if score >= least), most))
            self._second.follow(search, scores)
            followed |= scores.keys()
        return self._hits(search, limit)

    def _found(
        self, base_id: str, level: str, query: str, scopes: Sequence[Sequence[str]] = (EVERYWHERE,)
    ) -> QuerySearch:
        """Nothing at a level without entries. Raises ServiceError when its index was lost."""
        first = self._first_hops[self._searchable(base_id, level)]
        return first.find(base_id, level, query, scopes) if first else QuerySearch(base_id, level, query)

    def _summarised(self, base_id: str, query: str) -> dict[str, float]:
        """The documents of the best summaries, with the scores of these summaries."""
        search = self._found(base_id, "summaries", query)
        ranked = self._ranked(search)
        documents = self._lexical_index.documents_of(base_id, "summaries", ranked)
        scores: dict[str, float] = {}
        for id in ranked:
            if id in documents and len(scores) < SUMMARIES:
                scores.setdefault(documents[id], search.candidates[id].score())
        return scores

    def _ranked(self, search: QuerySearch) -> list[str]:
        return diversified(search.candidates, search.weights)

    def _hit(self, search: QuerySearch, id: str) -> Hit:
        return Hit(id, search.candidates[id].score(), tuple(sorted(search.candidates[id].sources)))

    def _hits(self, search: QuerySearch, limit: int) -> list[Hit]:
        """Hits of ready documents and enabled chunks."""
        ranked = self._ranked(search)
        hits: list[Hit] = []
        for start in range(0, len(ranked), max(limit, 1)):
            batch = ranked[start : start + limit]
            visible = self._passages.visible(batch)
            hits += [self._hit(search, id) for id in batch if id in visible]
            if len(hits) >= limit:
                break
        return hits[: max(limit, 0)]


def hybrid_retriever(
    library: Library,
    chunk_index: ChunkIndex,
    lexical_index: LexicalIndex,
    graph: KnowledgeGraph,
    vector_weight: VectorWeight = weight_of_hashed_words,
) -> HybridRetriever:
    """Over indexes that are checked against the library before they are searched."""
    integrity = IndexIntegrity(library.bases, lexical_index, chunk_index)
    return HybridRetriever(library.passages, integrity, chunk_index, lexical_index, graph, vector_weight)
