"""`python -m tests.bench.scale [PASSAGES]`: search in a large knowledge base, beside scans of all of it."""

import math
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from core.adapters.search import chroma_reader
from core.adapters.search.chroma_index import ChromaIndex
from core.adapters.sql.vectors import SqlVectorStore
from core.bootstrap.services import Services
from core.domain.documents import Chunk, Span
from core.domain.ids import content_id
from core.language.terms import query_terms, terms
from core.ports.models import Embedder
from core.ports.publishing import Publication
from core.ports.search import ChunkIndex, IndexEntry, Retriever
from core.retrieval.retriever import hybrid_retriever
from core.settings.settings import Settings
from tests.bench.retrieval import K1, RRF, B, write
from tests.fakes.indexes import FakeChunkIndex

PASSAGES = 20_000
EACH = 100
"""Passages of one document."""
WORDS = 100
"""Of one passage."""
VOCABULARY = 40_000
OWN = 120
"""Words that are frequent in one document."""
SEED = 20_261_121
DOCUMENTS, QUESTIONS = 15, 4
"""Documents asked about, and questions about each."""
ASKED_WORDS = 6
REPEATED = 4
TOP = 10
Found = list[tuple[str, float]]
Search = Callable[[str, Sequence[str]], Found]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    document: str
    """Of the passage that the words are from."""


def generated(passages: int) -> Iterator[tuple[str, list[str]]]:
    """Titles and passages of documents whose words are as unequally frequent as those of a language."""
    words, rng = np.array(_vocabulary()), np.random.default_rng(SEED)
    weights = 1.0 / np.arange(10, VOCABULARY + 10)
    weights /= weights.sum()
    for number in range(passages // EACH):
        common = rng.choice(VOCABULARY, (EACH, WORDS * 4 // 5), p=weights)
        own = rng.choice(rng.choice(VOCABULARY, OWN, p=weights), (EACH, WORDS // 5))
        drawn = rng.permuted(np.concatenate([common, own], axis=1), axis=1)
        yield f"Report {number}", [f"{' '.join(words[row])}." for row in drawn]


def _vocabulary() -> list[str]:
    """Words of two to four syllables; the last letter keeps stems apart."""
    syllables = [consonant + vowel for consonant in "bdfgklmnprtvz" for vowel in "aiou"]
    rng = np.random.default_rng(SEED)
    words: dict[str, None] = {}
    while len(words) < VOCABULARY:
        words["".join(rng.choice(syllables, rng.integers(2, 5))) + "k"] = None
    return list(words)


def load(services: Services, base_id: str, passages: int) -> list[IndexEntry]:
    """Publishes the generated documents in the base; its entries."""
    entries: list[IndexEntry] = []
    documents = generated(passages)
    while batch := list(islice(documents, 5_000 // EACH)):
        made = [entry for title, texts in batch for entry in _published(services, base_id, title, texts)]
        services.search.lexical_index.upsert(base_id, "chunks", made)
        services.search.chunk_index.upsert(base_id, "chunks", made)
        entries += made
    return entries


def _published(services: Services, base_id: str, title: str, texts: Sequence[str]) -> list[IndexEntry]:
    library = services.library
    id = library.documents.add(base_id, title, content_id("scale", title), 1, "text/plain")[0].id
    chunks = tuple(
        Chunk(content_id(id, str(place)), id, place, text, (), (Span(0, len(text), place, place, None),))
        for place, text in enumerate(texts)
    )
    library.publications.publish(Publication(id, title, "en", "bench", 1, (), (), chunks, (), (), ()))
    return [IndexEntry(chunk.id, id, title, "", chunk.text) for chunk in chunks]


def questions(entries: Sequence[IndexEntry]) -> list[Question]:
    """Words of some passages, four questions of one document after the other."""
    rng = np.random.default_rng(SEED)
    asked = []
    for number in rng.choice(len(entries) // EACH, DOCUMENTS, replace=False):
        for place in rng.choice(EACH, QUESTIONS, replace=False):
            entry = entries[number * EACH + place]
            asked.append(Question(" ".join(rng.choice(entry.text[:-1].split(), ASKED_WORDS)), entry.document_id))
    return asked


class Scans(FakeChunkIndex):
    """Exact search: the cosine and the BM25 of every passage."""

    def __init__(self, base_id: str, entries: Sequence[IndexEntry], embedder: Embedder) -> None:
        super().__init__()
        self.upsert(base_id, "chunks", entries)
        self.embedder = embedder
        self.ids = [entry.chunk_id for entry in entries]
        self.documents = np.array([entry.document_id for entry in entries])
        texts = [f"{entry.title}\n{entry.text}" for entry in entries]
        dimension = len(embedder.embed_query(texts[0]))
        rows = map(embedder.embed_query, texts)
        self.vectors = np.fromiter(rows, np.dtype((np.float32, dimension)), len(texts))
        self.postings = _postings(texts)

    def search(self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()) -> Found:
        """By vectors, as a ChunkIndex."""
        del base_id, level
        return self._best(self.vectors @ np.asarray(self.embedder.embed_query(query), np.float32), limit, documents)

    def words(self, query: str, documents: Sequence[str]) -> Found:
        scores = np.zeros(len(self.ids), np.float32)
        for term in set(query_terms(query)) & self.postings.keys():
            places, gains = self.postings[term]
            rarity = math.log(1 + (len(scores) - len(places) + 0.5) / (len(places) + 0.5))
            scores[places] += rarity * gains
        return self._best(scores, TOP, documents)

    def hybrid(self, query: str, documents: Sequence[str]) -> Found:
        """Both, fused by rank."""
        fused: dict[str, float] = {}
        for found in (self.search("", "", query, TOP, documents), self.words(query, documents)):
            for place, (id, _) in enumerate(found, start=1):
                fused[id] = fused.get(id, 0.0) + 1 / (RRF + place)
        return sorted(fused.items(), key=lambda hit: (-hit[1], hit[0]))[:TOP]

    def _best(self, scores: Any, limit: int, documents: Sequence[str]) -> Found:
        if documents:
            scores = np.where(np.isin(self.documents, list(documents)), scores, -np.inf)
        best = np.argpartition(-scores, limit)[:limit]
        return [(self.ids[place], float(scores[place])) for place in best[np.argsort(-scores[best], kind="stable")]]


def _postings(texts: Sequence[str]) -> dict[str, tuple[Any, Any]]:
    """Of each term, the places of the passages that hold it and what it adds to their BM25 before rarity."""
    found: dict[str, tuple[list[int], list[int]]] = {}
    lengths = np.zeros(len(texts), np.float32)
    for place, text in enumerate(texts):
        counts = Counter(terms(text))
        lengths[place] = counts.total()
        for term, count in counts.items():
            places, times = found.setdefault(term, ([], []))
            places.append(place)
            times.append(count)
    norms = K1 * (1 - B + B * lengths / lengths.mean())
    return {
        term: (np.array(places), np.array(times) * (K1 + 1) / (np.array(times) + norms[places]))
        for term, (places, times) in found.items()
    }


def systems(services: Services, base_id: str, scans: Scans) -> Iterator[tuple[str, Search, Search]]:
    """Name, search, and the exact search that it is compared with."""
    ours, lexical = services.search.chunk_index, services.search.lexical_index
    exact = hybrid_retriever(services.library, scans, lexical, services.graph)

    def vectors(index: ChunkIndex) -> Search:
        return lambda query, documents: index.search(base_id, "chunks", query, TOP, documents)

    def hybrid(retriever: Retriever) -> Search:
        def search(query: str, documents: Sequence[str]) -> Found:
            return [(hit.chunk_id, hit.score) for hit in retriever.chunks(base_id, query, TOP, documents)]

        return search

    yield "vectors: all scanned", vectors(scans), vectors(scans)
    yield "vectors: ours", vectors(ours), vectors(scans)
    yield "words: all postings", scans.words, scans.words
    yield "words: ours", lambda query, where: lexical.search(base_id, "chunks", query, TOP, where), scans.words
    yield "hybrid: both scans fused", scans.hybrid, scans.hybrid
    yield "hybrid: ours", hybrid(services.search.retriever), hybrid(exact)
    chroma_reader.SCANNED = 0  # from here on every search is Chroma's own
    chroma = ChromaIndex(
        services.settings.data / "chroma", services.models.embedder, SqlVectorStore(services.storage.engine)
    )
    yield "vectors: Chroma with its filter", vectors(chroma), vectors(scans)


def measure(search: Search, exact: Search, asked: Sequence[Question], filtered: bool) -> tuple[float, float, float]:
    """CPU milliseconds, those of the first question about a document (medians), and recall@10 of the exact search."""
    places = [[question.document] if filtered else [] for question in asked]
    runs = [_timed(partial(search, question.text, where)) for question, where in zip(asked, places, strict=True)]
    recalls = []
    for (found, _, _), question, where in zip(runs, asked, places, strict=True):
        wanted = {id for id, _ in exact(question.text, where)}
        recalls.append(len(wanted & {id for id, _ in found}) / len(wanted))
    again = statistics.median(again for _, _, again in runs)
    return again, statistics.median(first for _, first, _ in runs[::QUESTIONS]), statistics.fmean(recalls)


def _timed(run: Callable[[], Found]) -> tuple[Found, float, float]:
    """What was found, milliseconds of the first time, and of the best of some more: others use the machine too."""
    taken = []
    for _ in range(REPEATED):
        began = time.process_time()
        found = run()
        taken.append(1000 * (time.process_time() - began))
    return found, taken[0], min(taken[1:])


def main(data: Path, passages: int = PASSAGES) -> None:
    del data
    with TemporaryDirectory() as folder:
        settings = Settings().model_copy(update={"data": Path(folder), "database_url": "", "chroma_url": ""})
        with Services(settings) as services:
            base_id = services.library.bases.create("scale").id
            report(services, base_id, load(services, base_id, passages))


def report(services: Services, base_id: str, entries: Sequence[IndexEntry]) -> None:
    asked, scans = questions(entries), Scans(base_id, entries, services.models.embedder)
    write(f"{len(entries)} passages, {len(asked)} questions, CPU milliseconds (median)\n\n")
    write("| search | all documents | recall@10 | one document | first question about it | recall@10 |\n")
    write("|---|---|---|---|---|---|\n")
    for name, search, exact in systems(services, base_id, scans):
        search(asked[0].text, [])
        everywhere, _, recall = measure(search, exact, asked, filtered=False)
        inside, first, recall_inside = measure(search, exact, asked, filtered=True)
        write(f"| {name} | {everywhere:.2f} | {recall:.3f} | {inside:.2f} | {first:.2f} | {recall_inside:.3f} |\n")


if __name__ == "__main__":
    main(Path(), *map(int, sys.argv[1:]))
