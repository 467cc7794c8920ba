"""Evaluates the search on labelled questions: recall, nDCG and reciprocal ranks of what it finds."""

import json
import math
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from core.app.services import Services
from core.documents.model import Block, Chunk
from core.documents.pipeline.summarise import summarise
from core.documents.ports.publishing import Publication
from core.documents.reading.assemble import assemble, language_of
from core.documents.reading.chunk import chunk_pieces
from core.documents.reading.plain_text import text_blocks
from core.graph.linking.linking import link
from core.platform.errors import InputError
from core.platform.ids import content_id
from core.platform.settings.settings import Settings
from core.search.model import Hit

RANKED = 50
"""Chunks requested from the retriever per question."""
BATCH = 500
"""Passages per indexing batch."""
PARSER = "benchmark"
CUTS = (2, 5, 10)
"""Values of k for recall@k."""
DEPTH = 10
"""Cutoff for nDCG and reciprocal rank."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A ranking and its relevant items."""

    ranked: tuple[str, ...]
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Quality:
    """Means over questions, each 0..1."""

    recall: tuple[float, ...]
    """At each of CUTS."""
    ndcg: float
    mrr: float
    questions: int


def quality(judged: Sequence[Judged]) -> Quality:
    """Ignores questions without relevant passages."""
    rows = [row for row in judged if row.relevant]
    return Quality(
        recall=tuple(_mean([recall(row.ranked, row.relevant, cut) for row in rows]) for cut in CUTS),
        ndcg=_mean([ndcg(row.ranked, row.relevant, DEPTH) for row in rows]),
        mrr=_mean([reciprocal_rank(row.ranked, row.relevant, DEPTH) for row in rows]),
        questions=len(rows),
    )


def recall(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """Fraction of the relevant items among the first `cut`."""
    return len(set(ranked[:cut]) & relevant) / len(relevant)


def ndcg(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """nDCG with binary relevance."""
    gained = sum(1 / math.log2(place + 2) for place, id in enumerate(ranked[:cut]) if id in relevant)
    return gained / sum(1 / math.log2(place + 2) for place in range(min(cut, len(relevant))))


def reciprocal_rank(ranked: Sequence[str], relevant: AbstractSet[str], cut: int) -> float:
    """1 / rank of the first relevant item; 0 if there is none within the cutoff."""
    return next((1 / place for place, id in enumerate(ranked[:cut], start=1) if id in relevant), 0.0)


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values) if values else 0.0


@dataclass(frozen=True, slots=True)
class RetrievalRow:
    id: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class LabelledQuery:
    id: str
    question: str
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class BenchResult:
    quality: Quality
    rankings: tuple[tuple[str, tuple[str, ...]], ...]
    """(question id, corpus ids best first)."""

    def row(self) -> tuple[str, ...]:
        """recall@2, @5, @10, nDCG@10, MRR in percent, and the number of questions."""
        shares = (*self.quality.recall, self.quality.ndcg, self.quality.mrr)
        return (*(f"{100 * share:.1f}" for share in shares), str(self.quality.questions))


def run(folder: Path, settings: Settings) -> BenchResult:
    """Indexes folder/corpus.jsonl in a temporary data folder with these settings, and asks queries.jsonl."""
    rows, queries = read_corpus(folder), read_queries(folder)
    settings.data.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(prefix="bench-", dir=settings.data) as data:
        own = settings.model_copy(update={"data": Path(data), "database_url": "", "chroma_url": ""})
        with Services(own) as services:
            corpus = Corpus(services)
            corpus.load(rows)
            rankings = tuple((query.id, corpus.rank(query.question)) for query in queries)
    judged = [Judged(ranked, query.relevant) for (_, ranked), query in zip(rankings, queries, strict=True)]
    return BenchResult(quality(judged), rankings)


@dataclass(slots=True)
class Corpus:
    """A corpus as a knowledge base: every row is a document, its chunks map back to the row."""

    services: Services
    base_id: str = ""
    rows: dict[str, str] = field(default_factory=dict)
    """Corpus id by chunk id."""

    def load(self, rows: Sequence[RetrievalRow]) -> None:
        self.base_id = self.services.library.bases.create("bench").id
        waiting = iter(rows)
        while batch := list(islice(waiting, BATCH)):
            publications = [(row, self._publication(row)) for row in batch]
            for level in ("chunks", "summaries"):
                entries = [entry for _, publication in publications for entry in publication.index_entries()[level]]
                self.services.search.lexical_index.upsert(self.base_id, level, entries)
            for row, publication in publications:
                self.services.library.publications.publish(publication)
                self.rows.update({chunk.id: row.id for chunk in publication.chunks})
        while self.services.search.vector_builder.build(self.base_id):
            pass

    def rank(self, question: str) -> tuple[str, ...]:
        """Returns corpus ids, best first."""
        return self.ranked(self.services.search.retriever.graph(self.base_id, question, RANKED))

    def ranked(self, hits: Sequence[Hit]) -> tuple[str, ...]:
        """Corpus ids of hits, each at its best rank."""
        return tuple(dict.fromkeys(self.rows[hit.chunk_id] for hit in hits))

    def _publication(self, row: RetrievalRow) -> Publication:
        """The publication that the pipeline would make of a text file with this title."""
        name = row.title or row.id
        document, _ = self.services.library.documents.add(
            self.base_id, name, content_id(row.id, row.text), len(row.text), "text/plain"
        )
        blocks = tuple(text_blocks(row.text, markdown=False)) or (Block(0, 0, "text", row.text),)
        pieces = assemble(blocks)
        language = language_of(pieces)
        chunks: tuple[Chunk, ...] = tuple(chunk_pieces(document.id, pieces))
        found = self.services.ingestion.engines.extractor().extract([chunk.text for chunk in chunks])
        entities, mentions = link(self.base_id, document.id, chunks, found)
        summaries = tuple(summarise(document.id, pieces))
        return Publication(
            document.id, row.title, language, PARSER, 1, (), blocks, chunks, summaries, entities, mentions
        )


def read_corpus(folder: Path) -> list[RetrievalRow]:
    """Raises InputError when corpus.jsonl is not there or a line of it is not {id, title, text}."""
    path = folder / "corpus.jsonl"
    return [
        RetrievalRow(_text(path, row, "id"), _text(path, row, "title"), _text(path, row, "text"))
        for row in read_rows(path)
    ]


def read_queries(folder: Path) -> list[LabelledQuery]:
    """Raises InputError when queries.jsonl is not there or a line of it is not {id, question, relevant}."""
    path = folder / "queries.jsonl"
    return [
        LabelledQuery(
            _text(path, row, "id"), _text(path, row, "question"), frozenset(map(str, _list(path, row, "relevant")))
        )
        for row in read_rows(path)
    ]


def read_rows(path: Path) -> list[dict[str, object]]:
    """The objects of a JSON-lines file. Raises InputError that names the line."""
    rows: list[dict[str, object]] = []
    try:
        with path.open(encoding="utf-8") as lines:  # splitlines() would also split at U+2028 within a text
            for number, line in enumerate(lines, start=1):
                rows += _objects(path, number, line)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError("error.file_unreadable", name=path, reason=reason) from error
    return rows


def _objects(path: Path, number: int, line: str) -> list[dict[str, object]]:
    """That of the line, if it has one. Raises InputError."""
    try:
        row = json.loads(line) if line.strip() else None
    except (ValueError, RecursionError) as error:
        raise InputError("error.line_unreadable", name=path, line=number, reason=error) from error
    return [row] if isinstance(row, dict) else []


def _text(path: Path, row: dict[str, object], key: str) -> str:
    value = row.get(key, "" if key == "title" else None)
    if not isinstance(value, str):
        raise InputError("retrieval.bench_unreadable", name=path, reason=f"{key}: {value!r}"[:200])
    return value


def _list(path: Path, row: dict[str, object], key: str) -> list[object]:
    value = row.get(key)
    if not isinstance(value, list):
        raise InputError("retrieval.bench_unreadable", name=path, reason=f"{key}: {value!r}"[:200])
    return value
