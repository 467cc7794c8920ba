"""`python -m benchmarks.page_search FOLDER...`: where the passage that answers stands, for our questions on documents.

Each FOLDER is a data folder with one knowledge base; the questions are those on documents that are in it. What is told
of "trial" is to be read for its figures only.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.check_trial import shows_all
from benchmarks.retrieval import PlainBm25, PlainVectors, Rank, fused, write
from core.app.bench.retrieval import Judged, RetrievalRow
from core.app.services import Services
from core.platform.language.detect import same_script
from core.platform.settings.settings import Settings

HERE = Path(__file__).parent
RANKED = 50
PLACES = (1, 5, 10)
FILES = ("development_questions*.jsonl", "document_questions.jsonl", "trial_questions*.jsonl")
SORTS = {
    "filing": ("COSTCO",),
    "paper": ("2023.acl", "en_two_column"),
    "register or table": ("en_three_column", "en_long_table", "en_dense_table", "zh_tables"),
    "book": ("zh_book",),
    "handbook": ("bzip2", "debian-", "maint-guide", "sect."),
    "law": ("constitution", "us-constitution"),
}
"""Sorts of documents by how the names of their files begin; any other is a short report."""
Asked = tuple[str, Judged]
"""Half and sort of a question, and where its passages came."""


def main(folders: Sequence[Path]) -> None:
    found: dict[str, list[Asked]] = defaultdict(list)
    for folder in folders:
        changes = {"data": folder, "database_url": "", "chroma_url": ""}
        with Services(Settings().model_copy(update=changes)) as services:
            for system, asked in _ranked(services):
                found[system] += asked
    groups = sorted({group for asked in found.values() for group, _ in asked})
    for group in groups:
        write(f"\n## {group}\n\n| | questions | recall@1 | @5 | @10 | MRR |\n|---|---|---|---|---|---|\n")
        for system, asked in found.items():
            write(f"| {system} | {_row([judged for of, judged in asked if of == group])} |\n")


def _ranked(services: Services) -> Iterator[tuple[str, list[Asked]]]:
    base_id = services.library.bases.all()[0].id
    rows = _passages(services, base_id)
    asked = [(group, question, relevant) for group, question, relevant in _questions(rows) if relevant]
    bm25, vectors = (PlainBm25(list(rows)).rank, PlainVectors(list(rows), services.models.embedder).rank)
    retriever = services.search.retriever

    def ours(question: str) -> list[str]:
        return [hit.chunk_id for hit in retriever.chunks(base_id, question, RANKED)]

    systems: dict[str, Rank] = {"plain BM25": bm25, "encoder": vectors, "RRF": fused([bm25, vectors]), "ours": ours}
    for name, rank in systems.items():
        yield name, [(group, Judged(tuple(rank(question)), relevant)) for group, question, relevant in asked]


def _passages(services: Services, base_id: str) -> dict[RetrievalRow, str]:
    """With the name of the document of each."""
    return {
        RetrievalRow(chunk.id, " ".join([document.title, *chunk.section]), chunk.text): document.name
        for document in services.library.documents.of_base(base_id)
        for chunk in services.library.passages.chunks(document.id)
        if chunk.enabled
    }


def _questions(rows: dict[RetrievalRow, str]) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Half and sort, question, and the passages of its document that show the answer."""
    for file in sorted(file for name in FILES for file in HERE.glob(name)):
        for row in map(json.loads, file.read_text(encoding="utf-8").splitlines()):
            if row.get("document") in rows.values() and row.get("answerable", bool(row["answers"])):
                own = [each for each, name in rows.items() if name == row["document"]]
                relevant = frozenset(each.id for each in own if shows_all(each.text, row))
                for group in _groups(file.stem, row, own):
                    yield group, row["question"], relevant


def _groups(name: str, row: dict[str, Any], own: Sequence[RetrievalRow]) -> list[str]:
    half = "trial" if name.startswith("trial") else row.get("half", "older")
    half = {"older": "development", "check": "trial", "fresh": "trial"}.get(half, half)
    if not same_script(row["question"], "\n".join(each.text for each in own)[:10_000]):
        return [f"{half}, another language"]
    sorts = (sort for sort, begins in SORTS.items() if row["document"].startswith(begins))
    return [f"{half}, one language", f"{half}, {next(sorts, 'short report')}"]


def _row(judged: Sequence[Judged]) -> str:
    firsts = [next((at for at, id in enumerate(each.ranked, 1) if id in each.relevant), 0) for each in judged]
    shares = [100 * sum(0 < first <= place for first in firsts) / len(firsts) for place in PLACES]
    mrr = 100 * sum(1 / first for first in firsts if first) / len(firsts)
    return " | ".join([str(len(firsts)), *(f"{share:.1f}" for share in (*shares, mrr))])


if __name__ == "__main__":
    main([Path(folder) for folder in sys.argv[1:]])
