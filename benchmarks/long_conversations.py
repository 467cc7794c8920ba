"""`python -m benchmarks.long_conversations FILE`: how well memories of long conversations are found.

FILE is locomo10.json of github.com/snap-research/locomo: ten conversations, and questions with the turns that answer
them. Each turn is a memory, "Caroline: I went ...", of the day and the chat in which it was said. Five conversations
were used to choose the weights of core/memory/relevance.py; the others are judged. "Evidence" is the share of the
turns that answer a question among the first five memories, "session" whether one of these is of the right chat.
"""

import json
import re
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.output import say
from benchmarks.retrieval import PlainBm25
from core.app.bench.retrieval import RetrievalRow
from core.app.models import embedder_of
from core.memory.model import Memory, MemoryKind, MemoryStatus, Scope
from core.memory.store.memories import SqlMemoryStore
from core.platform.processes.process_tuning import collect_seldom
from core.platform.settings.settings import Settings
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate

DEVELOPMENT = {"conv-26", "conv-41", "conv-43", "conv-47", "conv-49"}
UNANSWERABLE = 5
"""The kind of questions without evidence."""
FIRST = 5
MANY = 1_000
"""Memories of the store in which a search is timed."""
_TURN = re.compile(r"D:?(\d+):(\d+)")
Rank = Callable[[str], Sequence[str]]


@dataclass(frozen=True, slots=True)
class Conversation:
    name: str
    memories: list[Memory]
    questions: list[tuple[str, frozenset[str]]]
    """With the ids of the memories that answer each."""


def conversations(file: Path) -> Iterator[Conversation]:
    for row in json.loads(file.read_text(encoding="utf-8")):
        told = list(_told(row["sample_id"], row["conversation"]))
        known = {memory.id for memory in told}
        asked = [(each["question"], _evidence(row["sample_id"], each) & known) for each in row["qa"]]
        yield Conversation(row["sample_id"], told, [(question, ids) for question, ids in asked if ids])


def _told(name: str, talk: dict[str, object]) -> Iterator[Memory]:
    for key, turns in talk.items():
        if isinstance(turns, list):
            began = datetime.strptime(str(talk[f"{key}_date_time"]), "%I:%M %p on %d %B, %Y").replace(tzinfo=UTC)
            for at, turn in enumerate(turns):
                when, words = began + timedelta(seconds=at), f"{turn['speaker']}: {turn['text']}"
                yield Memory(
                    f"{name} {turn['dia_id']}",
                    words,
                    MemoryKind.FACT,
                    5,
                    1.0,
                    MemoryStatus.ACTIVE,
                    when,
                    when,
                    thread_id=f"{name} {key}",
                )


def _evidence(name: str, row: dict[str, object]) -> frozenset[str]:
    if row["category"] == UNANSWERABLE:
        return frozenset()
    found = _TURN.findall(" ".join(map(str, row["evidence"] if isinstance(row["evidence"], list) else ())))
    return frozenset(f"{name} D{chat}:{int(turn)}" for chat, turn in found)


def judged(one: Conversation, rank: Rank) -> list[tuple[float, float]]:
    """(share of the evidence, right session) of each question."""
    chats = {memory.id: memory.thread_id for memory in one.memories}
    found = [(set(list(rank(question))[:FIRST]), evidence) for question, evidence in one.questions]
    return [
        (len(first & evidence) / len(evidence), bool({chats[id] for id in first} & {chats[id] for id in evidence}))
        for first, evidence in found
    ]


def main(file: Path) -> None:
    collect_seldom()  # as the app does
    every, embedder = list(conversations(file)), embedder_of(Settings())
    rows: dict[tuple[bool, str], list[tuple[float, float]]] = {}
    with TemporaryDirectory() as folder:
        for one in every:
            store = _store(Path(folder) / f"{one.name}.sqlite", one.memories, embedder)
            bm25 = PlainBm25([RetrievalRow(memory.id, "", memory.text) for memory in one.memories])
            for name, rank in (("plain BM25", bm25.rank), ("ours", partial(_found, store))):
                rows.setdefault((one.name in DEVELOPMENT, name), []).extend(judged(one, rank))
        many = [memory for one in every for memory in one.memories][:MANY]
        milliseconds = _timed(_store(Path(folder) / "many.sqlite", many, embedder), every)
    say("| half | ranking | questions | evidence, % | session, % |\n|---|---|---|---|---|\n")
    for (development, name), found in sorted(rows.items()):
        shares = [f"{100 * sum(column) / len(found):.1f}" for column in zip(*found, strict=True)]
        say(f"| {'development' if development else 'judged'} | {name} | {len(found)} | {' | '.join(shares)} |\n")
    say(f"\nA search among {len(many)} memories: {milliseconds:.1f} ms of processor.\n")


def _found(store: SqlMemoryStore, question: str) -> list[str]:
    return [found.memory.id for found in store.search(question, Scope(""))]


def _store(path: Path, told: Sequence[Memory], embedder: object) -> SqlMemoryStore:
    engine = open_engine(f"sqlite:///{path}")
    migrate(engine)
    store = SqlMemoryStore(engine, embedder)  # type: ignore[arg-type]
    for memory in told:
        store.save(memory)
    store.search("")
    return store


def _timed(store: SqlMemoryStore, every: Sequence[Conversation]) -> float:
    questions = [question for one in every for question, _ in one.questions][::20]
    store.search("first")
    began = time.process_time()
    for question in questions:
        store.search(question, Scope(""))
    return 1000 * (time.process_time() - began) / len(questions)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
