"""`python -m benchmarks many_runs`: every page with 2,000 documents, 200 conversations and 10,000 runs, and without.

Seconds of a first load as a browser asks for it, without drawing; processor time beside it, for a busy machine.
"""

import asyncio
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from sqlalchemy import insert

from benchmarks.many_documents import fill
from benchmarks.output import say
from benchmarks.page_client import Visitor
from benchmarks.served_app import Served, serving
from core.app.services import Services
from core.models.embedding.hashed import HashedEmbedder
from core.platform.settings.settings import Settings
from core.platform.sql.conversation_tables import run_events, runs, threads
from core.platform.sql.engine import batches, writing
from core.runs.events import AnswerReady, NodeFinished, NodeStarted, RunFinished, RunStarted
from core.runs.model import Usage
from core.runs.store.event_codec import encode_all

DOCUMENTS, THREADS, RUNS = 2_000, 200, 10_000
NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
PAGES = ("", "graph", "documents", "memory", "runs", "settings")
REPEATED = 5


def main(data: Path) -> None:
    del data
    rows: dict[str, list[str]] = {}
    for full in (False, True):
        with TemporaryDirectory() as folder:
            _prepare(Path(folder), full)
            with serving(Path(folder)) as app:
                for page, words in asyncio.run(_measured(app)).items():
                    rows.setdefault(page or "chat", []).append(words)
    say("| page | s and ms of processor, empty | full |\n|---|---|---|\n")
    for page, (few, many) in rows.items():
        say(f"| {page} | {few} | {many} |\n")


def _prepare(folder: Path, full: bool) -> None:
    settings = Settings().model_copy(update={"data": folder, "database_url": "", "chroma_url": ""})
    with Services(settings) as services:
        services.models.parts["embedder"] = (settings, HashedEmbedder())
        base_id = services.library.bases.create("Many").id
        if full:
            fill(services, base_id, DOCUMENTS)
            _converse(services, base_id)


def _converse(services: Services, base_id: str) -> None:
    kept = [
        {"title": f"Conversation {n}", "title_norm": f"conversation {n}"}
        | {"id": f"t{n}", "base_id": base_id, "workflow": "adaptive", "created_at": _at(n), "updated_at": _at(n)}
        | {"leaf_id": f"r{RUNS - THREADS + n}", "purpose": "chat"}
        for n in range(THREADS)
    ]
    asked = [_run(base_id, number) for number in range(RUNS)]
    packed = encode_all(
        [
            RunStarted("What did the gauge read?", "adaptive", "built-in"),
            *(each for n in range(6) for each in (NodeStarted(f"n{n}", 1), NodeFinished(f"n{n}", 1, 0.1, "passed"))),
            AnswerReady("The gauge gave a reading of 12 cm. " * 8, ()),
            RunFinished("answered", 0.5, Usage()),
        ]
    )
    told = [{"run_id": run["id"], "seq": 15, **packed} for run in asked]
    with writing(services.storage.engine) as connection:
        connection.execute(insert(threads), kept)
        for batch in batches(asked):
            connection.execute(insert(runs), batch)
        for events in batches(told):
            connection.execute(insert(run_events), events)


def _run(base_id: str, number: int) -> dict[str, object]:
    question = f"What did gauge {number} read?"
    parent = f"r{number - THREADS}" if number >= THREADS else ""
    return {
        "id": f"r{number}", "thread_id": f"t{number % THREADS}", "base_id": base_id, "question": question,
        "question_norm": question.lower(), "workflow": "adaptive", "engine": "built-in", "status": "done",
        "started_at": _at(number), "outcome": "answered", "answer": "The gauge gave a reading of 12 cm. " * 8,
        "citations": [], "model_calls": 0, "prompt_tokens": 0, "completion_tokens": 0, "tokens_estimated": False,
        "seconds": 0.5, "error": "", "parent_id": parent, "options": {}, "purpose": "chat",
    }  # fmt: skip


def _at(number: int) -> datetime:
    return NOW - timedelta(minutes=RUNS - number)


async def _measured(app: Served) -> dict[str, str]:
    for page in PAGES:
        await _load(app, page)
    await app.settled()
    return {page: await _figures(app, page) for page in PAGES}


async def _figures(app: Served, page: str) -> str:
    before = app.processor_seconds()
    seconds = sorted([await _load(app, page) for _ in range(REPEATED)])
    busy = (app.processor_seconds() - before) * 1000 / REPEATED
    return f"{seconds[REPEATED // 2]:.2f}, {busy:.0f}"


async def _load(app: Served, page: str) -> float:
    began = time.perf_counter()
    async with Visitor(app) as visitor:
        await visitor.open(page)
        return time.perf_counter() - began


if __name__ == "__main__":
    main(Path())
