"""`python -m benchmarks.scale [PASSAGES [FOLDER]]`: search in a large base of real texts, beside exact scans.

FOLDER keeps the base, so that a second run need not read it in again.
"""

import pickle
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import chromadb.config
import numpy as np

from benchmarks.exact_search import Corpus, ExactVectors, ExactWords, Found
from benchmarks.real_passages import Document, real_documents
from benchmarks.retrieval import RRF, write
from core.app.bench.retrieval import read_queries
from core.app.services import Services
from core.documents.model import Chunk, Span
from core.documents.ports.publishing import Publication
from core.platform.ids import content_id
from core.platform.processes.process_tuning import resident_megabytes
from core.platform.settings.settings import Settings
from core.search.index.passage_vectors import vectors_of
from core.search.ports import IndexEntry, Retriever
from core.search.retrieval.ranking import vector_weight_of
from core.search.retrieval.retriever import hybrid_retriever

PASSAGES = 100_000
TOGETHER = 400
"""Passages embedded at a time, few enough for the encoder to remember their sentences."""
QUESTIONS = 6
"""Of each set."""
REPEATED = 4
TOP = 10
Search = Callable[[str, Sequence[str]], Found]


@dataclass(frozen=True, slots=True)
class Question:
    text: str
    document: str
    """Asked about alone: the one that exact vectors put first."""


@dataclass(frozen=True, slots=True)
class Loaded:
    base_id: str
    entries: list[IndexEntry]
    vectors: Any
    """As they were made, before any index had them."""


def load(services: Services, documents: Iterator[Document]) -> Loaded:
    base_id = services.library.bases.create("scale").id
    entries = [entry for document in documents for entry in _published(services, base_id, document)]
    services.search.lexical_index.upsert(base_id, "chunks", entries)
    vectors = []
    for start in range(0, len(entries), TOGETHER):
        batch = entries[start : start + TOGETHER]
        vectors += [np.asarray(vector, np.float32) for vector, _ in vectors_of(services.models.embedder, batch)]
        services.search.chunk_index.upsert(base_id, "chunks", batch)
    return Loaded(base_id, entries, np.stack(vectors))


def _published(services: Services, base_id: str, document: Document) -> list[IndexEntry]:
    library = services.library
    id = library.documents.add(base_id, document.title, content_id("scale", document.title), 1, "text/plain")[0].id
    chunks = tuple(
        Chunk(content_id(id, str(at)), id, at, each.text, (each.section,), (Span(0, len(each.text), at, at, None),))
        for at, each in enumerate(document.passages)
    )
    library.publications.publish(Publication(id, document.title, "en", "bench", 1, (), (), chunks, (), (), ()))
    return [IndexEntry(chunk.id, id, document.title, chunk.section[0], chunk.text) for chunk in chunks]


def questions(data: Path, loaded: Loaded, vectors: ExactVectors) -> list[Question]:
    """Of the public sets, which ask about a part of the passages."""
    places = {entry.chunk_id: entry.document_id for entry in loaded.entries}
    folders = [path.parent for path in sorted(data.glob("retrieval/*/queries.jsonl"))]
    asked = [query.question for folder in folders for query in read_queries(folder)[:QUESTIONS]]
    return [Question(text, places[vectors.search("", "", text, 1)[0][0]]) for text in asked]


def remembered(search: Search) -> Search:
    known: dict[tuple[str, tuple[str, ...]], Found] = {}

    def found(query: str, documents: Sequence[str]) -> Found:
        key = query, tuple(documents)
        if key not in known:
            known[key] = search(query, documents)
        return known[key]

    return found


def fused(vectors: ExactVectors, words: ExactWords) -> Search:
    """Both scans, fused by rank: the plain peer."""

    def search(query: str, documents: Sequence[str]) -> Found:
        scores: dict[str, float] = {}
        for found in (vectors.search("", "", query, TOP, documents), words.search("", "", query, TOP, documents)):
            for place, (id, _) in enumerate(found, start=1):
                scores[id] = scores.get(id, 0.0) + 1 / (RRF + place)
        return sorted(scores.items(), key=lambda hit: (-hit[1], hit[0]))[:TOP]

    return search


def systems(
    services: Services, loaded: Loaded, vectors: ExactVectors, words: ExactWords
) -> Iterator[tuple[str, Search, Search]]:
    """Name, search, and the exact search that it is compared with."""
    chunk_index, lexical_index = services.search.indexes
    weight = vector_weight_of(services.models.embedder)
    exact = hybrid_retriever(services.library, vectors, words, services.graph, weight)

    def indexed(index: Any) -> Search:
        return lambda query, documents: index.search(loaded.base_id, "chunks", query, TOP, documents)

    def hybrid(retriever: Retriever) -> Search:
        def search(query: str, documents: Sequence[str]) -> Found:
            return [(hit.chunk_id, hit.score) for hit in retriever.chunks(loaded.base_id, query, TOP, documents)]

        return search

    wanted, worded = remembered(indexed(vectors)), remembered(indexed(words))
    yield "vectors: every row, 32-bit floats", indexed(vectors), wanted
    yield "vectors: ours", indexed(chunk_index), wanted
    yield "words: all postings", indexed(words), worded
    yield "words: ours", indexed(lexical_index), worded
    yield "both: scans fused by rank", fused(vectors, words), fused(vectors, words)
    yield "hybrid: ours", hybrid(services.search.retriever), remembered(hybrid(exact))
    yield "vectors: Chroma with its filter", _by_chroma(services, loaded.base_id), wanted


def _by_chroma(services: Services, base_id: str) -> Search:
    client = chromadb.PersistentClient(
        path=str(services.settings.data / "chroma"), settings=chromadb.config.Settings(anonymized_telemetry=False)
    )
    name = next(each.name for each in client.list_collections() if each.name.startswith(f"{base_id}.chunks"))
    collection = client.get_collection(name, embedding_function=None)

    def search(query: str, documents: Sequence[str]) -> Found:
        where: Any = {"document_id": {"$in": list(documents)}} if documents else None
        vector = services.models.embedder.embed_query(query)
        found: Any = collection.query(query_embeddings=[vector], n_results=TOP, where=where, include=["distances"])
        return [(id, 1 - distance) for id, distance in zip(found["ids"][0], found["distances"][0], strict=True)]

    return search


def measure(search: Search, exact: Search, asked: Sequence[Question], filtered: bool) -> tuple[float, float, float]:
    """CPU milliseconds, those of the first time (medians), and recall@10 of the exact search."""
    places = [[question.document] if filtered else [] for question in asked]
    runs = [_timed(partial(search, question.text, where)) for question, where in zip(asked, places, strict=True)]
    recalls = []
    for (found, _, _), question, where in zip(runs, asked, places, strict=True):
        wanted = {id for id, _ in exact(question.text, where)}
        recalls.append(len(wanted & {id for id, _ in found}) / len(wanted) if wanted else 1.0)
    again = statistics.median(again for _, _, again in runs)
    return again, statistics.median(first for _, first, _ in runs), statistics.fmean(recalls)


def _timed(run: Callable[[], Found]) -> tuple[Found, float, float]:
    """What was found, milliseconds of the first time, and of the best of some more: others use the machine too."""
    taken = []
    for _ in range(REPEATED):
        began = time.process_time()
        found = run()
        taken.append(1000 * (time.process_time() - began))
    return found, taken[0], min(taken[1:])


def main(data: Path, passages: int = 0, kept: str = "") -> None:
    with TemporaryDirectory() as temporary:
        folder = Path(kept or temporary)
        settings = Settings().model_copy(update={"data": folder, "database_url": "", "chroma_url": ""})
        with Services(settings) as services:
            if (known := folder / "loaded.pickle").is_file():
                loaded = pickle.loads(known.read_bytes())  # written below
            else:
                loaded = load(services, real_documents(data, passages or PASSAGES))
                known.write_bytes(pickle.dumps(loaded))
            report(services, data, loaded)


def report(services: Services, data: Path, loaded: Loaded) -> None:
    before = resident_megabytes()
    services.search.retriever.chunks(loaded.base_id, "When was it founded?", TOP)
    write(f"memory for search: {resident_megabytes() - before:.0f} MB\n\n")
    corpus = Corpus(loaded.entries)
    vectors, words = ExactVectors(corpus, loaded.vectors, services.models.embedder), ExactWords(corpus)
    asked = questions(data, loaded, vectors)
    write(f"{len(loaded.entries)} passages, {len(asked)} questions, CPU milliseconds (median)\n\n")
    write("| search | all documents | first time | recall@10 | one document | first time | recall@10 |\n")
    write("|---|---|---|---|---|---|---|\n")
    for name, search, exact in systems(services, loaded, vectors, words):
        search(asked[0].text, [])
        everywhere = "{:.2f} | {:.2f} | {:.3f}".format(*measure(search, exact, asked, filtered=False))
        inside = "{:.2f} | {:.2f} | {:.3f}".format(*measure(search, exact, asked, filtered=True))
        write(f"| {name} | {everywhere} | {inside} |\n")


if __name__ == "__main__":
    count, kept, *_ = [*sys.argv[1:], "", ""]
    main(Path(__file__).parents[2] / "shared" / "data", int(count or 0), kept)
