"""`python -m benchmarks.rooms`: how long rooms take to draw with 20,000 runs, 1,000 memories and 500 conversations.

Beside it the same with next to nothing, so that what the rooms' own data costs is seen.
"""

import asyncio
import random
import statistics
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from sqlalchemy import insert

from benchmarks.page_client import Visitor
from benchmarks.served_app import Served, serving
from core.agents.workflows.registry import workflows
from core.memory.model import MemoryKind, MemoryStatus
from core.platform.sql.conversation_tables import memories, runs, threads
from core.platform.sql.engine import open_engine, writing
from core.platform.sql.migrate import migrate
from core.platform.sql.schema import knowledge_bases
from core.runs.model import AnswerOutcome, RunStatus

RUNS, MEMORIES, THREADS = 20_000, 1_000, 500
ROOMS = (("", ""), ("", "thread=t7"), ("runs", ""), ("runs", "run=r7"), ("memory", ""))
REPEATED = 7
NOW = datetime(2026, 11, 22, tzinfo=UTC)
WORDS = [
    "buoy",
    "tide",
    "spectrum",
    "station",
    "alarm",
    "warning",
    "calibration",
    "drift",
    "sample",
    "handbook",
    "forecast",
    "inlet",
]


def main(data: Path) -> None:
    del data
    found = {}
    for name, (run_count, memory_count, thread_count) in {
        "nearly empty": (5, 5, 5),
        "full": (RUNS, MEMORIES, THREADS),
    }.items():
        with TemporaryDirectory() as folder:
            _fill(Path(folder), run_count, memory_count, thread_count)
            with serving(Path(folder)) as app:
                found[name] = asyncio.run(_measured(app))
    _say("| room | nearly empty, ms of processor | full, ms of processor | full, wall clock, ms |\n|---|---|---|---|\n")
    for room in ROOMS:
        (small, _), (own, wall) = found["nearly empty"][room], found["full"][room]
        _say(f"| {room[0] or 'chat'} {room[1]} | {small:.0f} | {own:.0f} | {wall:.0f} |\n")


async def _measured(app: Served) -> dict[tuple[str, str], tuple[float, float]]:
    """Milliseconds of the app's processor and of the wall clock, medians of visits in new sessions."""
    async with Visitor(app) as visitor:
        await visitor.open("")
    await app.settled()
    found = {}
    for page, query in ROOMS:
        spent, waited = [], []
        for _ in range(REPEATED):
            before = app.processor_seconds()
            async with Visitor(app) as visitor:
                waited.append(await visitor.open(page, query))
            spent.append(app.processor_seconds() - before)
        found[page, query] = statistics.median(spent) * 1000, statistics.median(waited) * 1000
    return found


def _fill(folder: Path, run_count: int, memory_count: int, thread_count: int) -> None:
    rng = random.Random(20_261_122)
    engine = open_engine(f"sqlite:///{folder / 'graphtalk.sqlite'}")
    migrate(engine)
    base = {"id": "b", "name": "Base", "index_version": 1, "created_at": NOW}
    asked = [_run(rng, number, thread_count) for number in range(run_count)]
    last = {run["thread_id"]: run["id"] for run in asked}
    with writing(engine) as connection:
        connection.execute(insert(knowledge_bases), _fitting(knowledge_bases, base))
        opened = [_thread(rng, number, last) for number in range(thread_count)]
        connection.execute(insert(threads), opened)
        connection.execute(insert(runs), asked)
        connection.execute(insert(memories), [_memory(rng, number) for number in range(memory_count)])
    engine.dispose()


def _fitting(table: Any, row: dict[str, Any]) -> dict[str, Any]:
    """With something in every column that wants it."""
    empty: dict[type, Any] = {str: "", object: "", int: 0, float: 0.0, bool: False, dict: [], datetime: NOW}
    for column in table.columns:
        needed = not column.nullable and not column.server_default and column.name not in row
        if needed and column.name != "position":
            row[column.name] = empty[column.type.python_type]
    return row


def _sentence(rng: random.Random, count: int) -> str:
    return " ".join(rng.choices(WORDS, k=count))


def _thread(rng: random.Random, number: int, last: dict[str, str]) -> dict[str, Any]:
    title, at = _sentence(rng, 6), NOW - timedelta(hours=number)
    own = {"id": f"t{number}", "title": title, "title_norm": title, "base_id": "b", "workflow": "adaptive"}
    return _fitting(threads, {**own, "created_at": at, "updated_at": at, "leaf_id": last.get(f"t{number}", "")})


def _run(rng: random.Random, number: int, thread_count: int) -> dict[str, Any]:
    question = _sentence(rng, 8)
    return _fitting(
        runs,
        {
            "id": f"r{number}",
            "thread_id": f"t{number % thread_count}",
            "base_id": "b",
            "question": question,
            "question_norm": question,
            "workflow": rng.choice(list(workflows())),
            "engine": rng.choice(["built-in", "a-model"]),
            "status": RunStatus.DONE.value,
            "started_at": NOW - timedelta(minutes=2 * number),
            "outcome": rng.choice(list(AnswerOutcome)).value,
            "answer": _sentence(rng, 60),
            "citations": [],
            "seconds": rng.random() * 5,
            "prompt_tokens": rng.randrange(2_000),
            "parent_id": f"r{number - thread_count}" if number >= thread_count else "",
        },
    )


def _memory(rng: random.Random, number: int) -> dict[str, Any]:
    words = f"{_sentence(rng, 8)} {number}"
    own = {"id": f"m{number}", "text": words, "text_norm": words, "kind": MemoryKind.FACT.value, "importance": 5}
    return _fitting(memories, {**own, "status": MemoryStatus.ACTIVE.value, "created_at": NOW, "last_used_at": NOW})


def _say(line: str) -> None:
    sys.stdout.write(line)


if __name__ == "__main__":
    main(Path())
