"""`python -m benchmarks many_documents`: pages and questions with 1,000 and with 20,000 small documents.

Baseline: the same with 1,000 documents. Every document is one passage of two sentences with three entities.
"""

import asyncio
import statistics
import time
from collections.abc import Iterator, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import insert, update

from benchmarks.generated_graph import NOW, id_of, mentions_of, name_of
from benchmarks.output import say
from benchmarks.page_client import Visitor
from benchmarks.served_app import Served, serving
from core.app.models import embedder_of
from core.app.services import Services
from core.documents.model import Chunk, Span
from core.documents.store.rows import from_chunk
from core.graph.model import Mention
from core.graph.network.incidences import pack
from core.models.embedding.hashed import HashedEmbedder
from core.platform.settings.settings import Settings
from core.platform.sql.columns import normalized
from core.platform.sql.engine import writing
from core.platform.sql.schema import (
    chunks,
    documents,
    entities,
    entity_names,
    entry_vectors,
    incidences,
    knowledge_bases,
    mentions,
)
from core.runs.model import RunRequest
from core.search.ports import IndexEntry

SIZES = (1_000, 20_000)
REPEATED = 8
ROUNDS = 5
"""Of page loads."""
BATCH = 2_000
NAMES = 3
"""Entities of a document."""
QUESTIONS = {
    "found": "Which reading did the gauge of {name} give?",
    "of one document": "What does the document “Report {number}” say about the gauge?",
    "a form": "Where can I download the form for travel?",
    "not found": "Why do zebras sleep in airships?",
}
PAGES = ("", "graph", "documents", "memory", "settings")


def main(data: Path) -> None:
    del data
    rows: dict[str, list[float]] = {}
    for size in SIZES:
        with TemporaryDirectory() as folder:
            for name, milliseconds in _measured(Path(folder), size):
                rows.setdefault(name, []).append(milliseconds)
    say("| milliseconds of processor | " + " | ".join(f"{size:,} documents" for size in SIZES) + " | ratio |\n")
    say("|---|---|---|---|\n")
    for name, (few, many) in rows.items():
        say(f"| {name} | {few:.1f} | {many:.1f} | {many / few:.2f} |\n")


def _measured(folder: Path, size: int) -> Iterator[tuple[str, float]]:
    settings = Settings().model_copy(update={"data": folder, "database_url": "", "chroma_url": ""})
    with Services(settings) as services:
        services.models.parts["embedder"] = (settings, HashedEmbedder())
        services.library.bases.create("A first one, empty")
        base_id = services.library.bases.create("Many").id
        fill(services, base_id, size)
        services.warm()
        for kind, question in QUESTIONS.items():
            yield f"question, {kind}", _question(services, base_id, question)
        _note_as_encoded(services, embedder_of(settings).name)
    with serving(folder) as app:
        asyncio.run(_load(app, "", base_id))
        asyncio.run(app.settled())
        for page in PAGES:
            yield f"page, {page or 'chat'}", asyncio.run(_page(app, page, base_id))


def fill(services: Services, base_id: str, count: int) -> None:
    """As ingestion leaves them."""
    numbers = iter(range(count))
    names = max(count // 4, 10)
    engine, index = services.storage.engine, services.search
    with writing(engine) as connection:
        connection.execute(insert(entities), [_entity(base_id, number) for number in range(names)])
    while batch := list(islice(numbers, BATCH)):
        made = {number: _chunk(number, _names(number, names)) for number in batch}
        told = {number: _mentions(number, names) for number in batch}
        entries = [IndexEntry(made[n].id, id_of("document", n), f"Report {n}", "", made[n].text) for n in batch]
        with writing(engine) as connection:
            connection.execute(insert(documents), [_document(base_id, number) for number in batch])
            connection.execute(insert(chunks), [from_chunk(made[number]) for number in batch])
            connection.execute(insert(mentions), [_mention(each) for number in batch for each in told[number]])
            packed = [{"document_id": id_of("document", n), "packed": pack(told[n])} for n in batch]
            connection.execute(insert(incidences), packed)
            connection.execute(insert(entry_vectors), [_vector(services, entry) for entry in entries])
        index.lexical_index.upsert(base_id, "chunks", entries)
        index.chunk_index.upsert(base_id, "chunks", entries)
    with writing(engine) as connection:
        connection.execute(insert(entity_names), [_name(base_id, number, count) for number in range(names)])
        connection.execute(update(knowledge_bases).values(index_version=1))


def _names(number: int, names: int) -> list[int]:
    return [(number * 7 + place * place * 13 + place) % names for place in range(NAMES)]


def _chunk(number: int, names: Sequence[int]) -> Chunk:
    first, second, third = map(name_of, names)
    text = f"The gauge of {first} gave a reading of {number % 97} cm. {second} and {third} were asked to check it."
    document = id_of("document", number)
    return Chunk(id_of("chunk", number), document, 0, text, (), (Span(0, len(text), 0, 0, None),))


def _document(base_id: str, number: int) -> dict[str, object]:
    return {
        "id": id_of("document", number), "base_id": base_id, "name": f"report-{number}.md", "sha256": str(number),
        "size": 120, "media_type": "text/markdown", "added_at": NOW + timedelta(seconds=number), "ready_at": NOW,
        "cancelled": False, "error_key": "", "error_params": [], "parser": "text", "language": "en",
        "title": f"Report {number}", "pages": 0, "chunks": 1, "entities": NAMES, "notes": [],
    }  # fmt: skip


def _entity(base_id: str, number: int) -> dict[str, object]:
    found = {"name": name_of(number), "type": "ORGANIZATION", "mentions": 12, "documents": 12}
    return {"id": id_of("entity", number), "base_id": base_id, **found}


def _name(base_id: str, number: int, count: int) -> dict[str, object]:
    owners = {"entity_id": id_of("entity", number), "document_id": id_of("document", number % count)}
    return {**owners, "position": 0, "base_id": base_id, "name": name_of(number), "norm": normalized(name_of(number))}


def _mentions(number: int, names: int) -> list[Mention]:
    return list(mentions_of(number, 0, number, _names(number, names)))


def _mention(mention: Mention) -> dict[str, object]:
    return {
        "id": mention.id, "entity_id": mention.entity_id, "document_id": mention.document_id,
        "chunk_id": mention.chunk_id, "position": mention.start, "page": 0, "start_offset": mention.start,
        "end_offset": mention.end, "surface": mention.surface, "confidence": 1.0,
    }  # fmt: skip


def _vector(services: Services, entry: IndexEntry) -> dict[str, object]:
    """As the builder notes it."""
    return {
        "entry_id": entry.chunk_id, "document_id": entry.document_id, "level": "chunks",
        "embedder": services.models.embedder.name, "digest": entry.digest, "sentences": b"", "unspaced": False,
    }  # fmt: skip


def _note_as_encoded(services: Services, encoder: str) -> None:
    """So that the app, which has the encoder, does not set out to make its vectors."""
    with writing(services.storage.engine) as connection:
        connection.execute(update(entry_vectors).values(embedder=encoder))


def _question(services: Services, base_id: str, question: str) -> float:
    """The median of the processor time of the whole process."""
    taken = []
    for number in range(REPEATED + 1):
        began = time.process_time()
        asked = question.format(name=name_of(number), number=number)
        run_id = services.worker.start(RunRequest(asked, base_id))
        for _ in services.worker.follow(run_id):
            pass
        taken.append((time.process_time() - began) * 1000)
    return statistics.median(taken[1:])


async def _page(app: Served, page: str, base_id: str) -> float:
    """The median of rounds of the mean of first loads: the clock of a process ticks a hundred times a second."""
    await _load(app, page, base_id)
    taken = []
    for _ in range(ROUNDS):
        before = app.processor_seconds()
        for _ in range(REPEATED):
            await _load(app, page, base_id)
        taken.append((app.processor_seconds() - before) * 1000 / REPEATED)
    return statistics.median(taken)


async def _load(app: Served, page: str, base_id: str) -> None:
    async with Visitor(app) as visitor:
        await visitor.open(page, f"base={base_id}")


if __name__ == "__main__":
    main(Path())
