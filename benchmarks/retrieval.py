"""`python -m benchmarks retrieval [SET...]`: the retriever beside plain BM25, plain vectors and their rank fusion."""

import math
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from core.app.bench.retrieval import (
    Corpus,
    Judged,
    LabelledQuery,
    Quality,
    RetrievalRow,
    quality,
    read_corpus,
    read_queries,
)
from core.app.models import embedder_of as from_settings
from core.app.services import Services
from core.models.embedding.hashed import HashedEmbedder
from core.models.ports import Embedder
from core.platform.language.terms import terms
from core.platform.settings.settings import Settings

RANKED = 50
K1, B = 1.2, 0.75
RRF = 60
"""The usual constant of reciprocal rank fusion."""
ONLY = tuple[str, ...]()
"""Sets; all of them when there are none."""
COLUMNS = ("recall@2", "recall@5", "recall@10", "nDCG@10", "MRR", "ms")
Rank = Callable[[str], Sequence[str]]


class PlainBm25:
    """Okapi BM25 over title and text of whole passages, every term of the question."""

    def __init__(self, rows: Sequence[RetrievalRow]) -> None:
        self.ids = [row.id for row in rows]
        counts = [Counter(terms(f"{row.title}\n{row.text}")) for row in rows]
        lengths = [sum(count.values()) for count in counts]
        mean = sum(lengths) / len(lengths)
        self.postings: dict[str, list[tuple[int, float]]] = {}
        for place, (count, length) in enumerate(zip(counts, lengths, strict=True)):
            for term, times in count.items():
                gain = times * (K1 + 1) / (times + K1 * (1 - B + B * length / mean))
                self.postings.setdefault(term, []).append((place, gain))

    def rank(self, question: str) -> list[str]:
        scores: dict[int, float] = {}
        for term in set(terms(question)):
            found = self.postings.get(term, [])
            rarity = math.log(1 + (len(self.ids) - len(found) + 0.5) / (len(found) + 0.5))
            for place, gain in found:
                scores[place] = scores.get(place, 0.0) + rarity * gain
        best = sorted(scores, key=lambda place: (-scores[place], place))
        return [self.ids[place] for place in best[:RANKED]]


class PlainVectors:
    """Exact cosine over whole passages."""

    def __init__(self, rows: Sequence[RetrievalRow], embedder: Embedder) -> None:
        self.ids = [row.id for row in rows]
        self.embedder = embedder
        self.vectors = np.asarray(embedder.embed([f"{row.title}\n{row.text}" for row in rows]), dtype=np.float32)

    def rank(self, question: str) -> list[str]:
        scores = self.vectors @ np.asarray(self.embedder.embed_query(question), dtype=np.float32)
        return [self.ids[place] for place in np.argsort(-scores, kind="stable")[:RANKED]]


def fused(rankers: Sequence[Rank]) -> Rank:
    def rank(question: str) -> list[str]:
        scores: dict[str, float] = {}
        for ranker in rankers:
            for place, id in enumerate(ranker(question), start=1):
                scores[id] = scores.get(id, 0.0) + 1 / (RRF + place)
        return sorted(scores, key=lambda id: (-scores[id], id))[:RANKED]

    return rank


def embedders() -> list[Embedder]:
    """The embedded default, and the one that the settings of this machine name, if another."""
    chosen = from_settings(Settings())
    return [HashedEmbedder()] if chosen.name == HashedEmbedder().name else [HashedEmbedder(), chosen]


def systems(rows: Sequence[RetrievalRow], corpus: Corpus) -> Iterator[tuple[str, Rank]]:
    bm25 = PlainBm25(rows).rank
    yield "plain BM25", bm25
    for embedder in embedders():
        vectors = PlainVectors(rows, embedder).rank
        yield f"plain {embedder.name}", vectors
        yield f"RRF of BM25 and {embedder.name}", fused([bm25, vectors])
    retriever = corpus.services.search.retriever
    yield "ours, one hop", lambda question: corpus.ranked(retriever.chunks(corpus.base_id, question, RANKED))
    yield "ours", corpus.rank


def measure(rank: Rank, queries: Sequence[LabelledQuery]) -> tuple[Quality, float]:
    """And milliseconds a question."""
    started = time.perf_counter()
    judged = [Judged(tuple(rank(query.question)), query.relevant) for query in queries]
    return quality(judged), 1000 * (time.perf_counter() - started) / len(queries)


def main(data: Path, only: Sequence[str] = ()) -> None:
    for folder in sorted(path for path in (data / "retrieval").iterdir() if path.is_dir()):
        if folder.name in (only or ONLY or [folder.name]):
            rows, queries = read_corpus(folder), read_queries(folder)
            with TemporaryDirectory() as own:
                settings = Settings().model_copy(update={"data": Path(own), "database_url": "", "chroma_url": ""})
                with Services(settings) as services:
                    report(folder.name, rows, queries, Corpus(services))


def report(name: str, rows: Sequence[RetrievalRow], queries: Sequence[LabelledQuery], corpus: Corpus) -> None:
    started = time.perf_counter()
    corpus.load(rows)
    took = time.perf_counter() - started
    write(f"\n## {name}: {len(queries)} questions, {len(rows)} passages (indexed in {took:.0f} s)\n\n")
    write(f"| system | {' | '.join(COLUMNS)} |\n|---|{'---|' * len(COLUMNS)}\n")
    for label, rank in systems(rows, corpus):
        found, milliseconds = measure(rank, queries)
        shares = " | ".join(f"{100 * share:.1f}" for share in (*found.recall, found.ndcg, found.mrr))
        write(f"| {label} | {shares} | {milliseconds:.1f} |\n")


def write(line: str) -> None:
    sys.stdout.write(line)
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
