"""Processes that share a database, on a real Postgres, a real Chroma server and a double of an object store.

`kills [N]`: N times one of two workers, one of two apps, Postgres or Chroma is killed at a random moment, while
documents are added and questions asked. What is made of the documents must be what an undisturbed desk makes of them,
and every question must be answered. `rolling [N]`: see rolling_restart.py. `workers`: how many documents a second 1, 2
and 4 workers read.
"""

import os
import random
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

import httpx2

from benchmarks.output import say_line
from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.model import DocumentStatus
from core.documents.pipeline.pipeline import Pipeline
from core.people.api_keys import KeyScope
from core.platform.errors import ServiceError
from core.platform.settings.settings import load_settings
from core.runs.events import END_EVENTS, RunStarted
from core.runs.model import RunStatus
from core.runs.run_lists import RunFilter, RunLine
from tests.canonical_dump import canonical_dump
from tests.loopback.object_store import ObjectStoreServer
from tests.loopback.openai_server import OpenAiServer
from tests.processes.installation import (
    ChromaServer,
    Installation,
    all_ended,
    chroma_server,
    environment_of,
    new_database,
    texts,
    wait_for,
)
from tests.processes.slow_model import Slowly
from tests.store.postgres import PostgresServer, programs

_EACH = 4
"""Documents added before each kill, so that there is always work."""
_LONGEST = 9.0
"""Seconds between two kills at most; a worker needs some of them to start."""
_QUESTIONS = 2
"""Asked before each kill, of one of the apps."""
_PORTS = (18501, 18502)
_NUMBERS = {"start": (1, 2), "start_app": _PORTS}
Made = TypeVar("Made")
_SHARING = ("DATABASE_URL", "CHROMA_URL", "FILES_URL")
_MEASURED = 48
"""Documents read for a figure."""


def main(arguments: Sequence[str]) -> int:
    if arguments[:1] == ["workers"]:
        for number in (1, 2, 4):
            _measure(number)
        return 0
    if arguments[:1] == ["rolling"]:
        from benchmarks import rolling_restart

        return rolling_restart.main(int(arguments[1]) if len(arguments) > 1 else 6)
    return _kill(int(arguments[1]) if len(arguments) > 1 else 50)


def _kill(kills: int) -> int:
    chance = random.Random(20261122)
    files = list(texts(kills * _EACH).items())
    with installation(Slowly()) as place, place.made.services("here") as here:
        base = here.library.bases.create("Reports")
        asking = Asking(here.storage.access.api_keys.make("bench", KeyScope.ADMIN)[1])
        targets = place.targets()
        for start in (place.made.start, place.made.start_app):
            for number in _NUMBERS[start.__name__]:
                start(number)
        wait_for(lambda: all(place.made.serves(port) for port in _PORTS))
        began, done = time.monotonic(), Counter[str]()
        for kill in range(kills):
            for name, data in files[kill * _EACH : (kill + 1) * _EACH]:
                patiently(partial(here.lifecycle.intake.add, base.id, name, data))
            asking.begin(_PORTS[kill % 2])
            time.sleep(chance.uniform(0.0, _LONGEST))
            what = chance.choice(list(targets))
            targets[what]()
            done[what] += 1
            place.made.revive()
            ready = patiently(partial(here.library.documents.counts, base.id)).get(DocumentStatus.READY, 0)
            say_line(f"kill {kill + 1}: {what}, {ready} ready")
        wait_for(lambda: place.made.revive() or all_ended(here, base.id), 900.0)  # type: ignore[func-returns-value]
        wait_for(lambda: not here.runs.running(), 200.0)
        wait_for(lambda: here.search.chunk_index.progress(base.id).is_complete, 200.0)
        seconds = time.monotonic() - began
        found = _Found(here, base.id, asking)
    alone = _undisturbed(files)
    say_line(f"{kills} kills in {seconds:.0f} s: {dict(done)}; load {os.getloadavg()[0]:.1f}")
    return found.report(alone)


def patiently(call: Callable[[], Made]) -> Made:
    """Again while the database or the vectors are away."""
    until = time.monotonic() + 60
    while True:
        try:
            return call()
        except ServiceError:
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


class _Found:
    """What is there in the end."""

    def __init__(self, here: Services, base_id: str, asking: "Asking") -> None:
        self._documents = here.library.documents.counts(base_id)
        self._failures = Counter(each.error_key for each in here.library.documents.of_base(base_id) if each.error_key)
        self._shared = canonical_dump(here.storage.engine, base_id)
        self._words = here.search.lexical_index.count(base_id, "chunks")
        self._vectors = here.search.chunk_index.count(base_id, "chunks")
        self._left = here.storage.blobs.names("work/") if here.storage.blobs else []
        self._runs = Counter(line.status for line in _lines(here))
        told = {line.id: [event for _, event in here.runs.events(line.id, 0)] for line in _lines(here)}
        begun = [sum(isinstance(event, RunStarted) for event in events) for events in told.values()]
        self._again, self._most = sum(number > 1 for number in begun), max(begun, default=0)
        self._unended = sum(not events or not isinstance(events[-1], END_EVENTS) for events in told.values())
        self._lost = len({*asking.run_ids} - {*told})
        said = Counter(_answers(here, line.thread_id) for line in _lines(here))
        self._answers = {number: times for number, times in said.items() if number != 1}
        self._asked = asking
        self._owners = {
            line.id: [event.owner for event in told[line.id] if isinstance(event, RunStarted)]
            for line in _lines(here)
            if line.status is not RunStatus.DONE
        }
        self._errors = Counter(
            here.runs.get(line.id).error for line in _lines(here) if line.status is not RunStatus.DONE
        )

    @property
    def is_whole(self) -> bool:
        """Whether every question that was taken has one answer, and one end in its log."""
        return set(self._runs) == {RunStatus.DONE} and not (self._unended or self._lost or self._answers)

    def report(self, alone: str) -> int:
        say_line(f"documents: {dict(self._documents)}; {self._words} chunks by words, {self._vectors} by vectors")
        say_line(f"why documents failed: {dict(self._failures)}")
        asked = self._asked
        say_line(f"questions taken {len(asked.run_ids)}, of which told to the end {asked.told}: {dict(self._runs)}")
        say_line(f"not taken: {dict(asked.refused)}; why not done: {dict(self._errors)}")
        for owners in self._owners.values():
            say_line(f"  not done: begun {len(owners)} times by {len({*owners})} processes")
        say_line(f"begun again: {self._again}, one of them {self._most} times in all")
        say_line(f"lost {self._lost}, without a last event {self._unended}, not answered once: {self._answers}")
        say_line(f"canonical dump equal to that of an undisturbed desk: {self._shared == alone}")
        say_line(f"results left behind: {len(self._left)}")
        for line in sorted({*self._shared.splitlines()} ^ {*alone.splitlines()})[:6]:
            say_line(f"  {line[:300]}")
        return 0 if self._shared == alone and self.is_whole else 1


def _lines(here: Services) -> list[RunLine]:
    return list(here.storage.records.run_lists.lines(RunFilter()))


def _answers(here: Services, thread_id: str) -> int:
    """Of one question, as the conversation has them."""
    return [turn.role for turn in here.threads.history(thread_id, 9)].count("assistant")


class Asking:
    """Questions to apps, each in a thread that does not mind what becomes of the app."""

    def __init__(self, key: str) -> None:
        self._headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
        self.run_ids: list[str] = []
        self.told = 0
        """Whose asker saw the end of the answer in the same stream."""
        self.refused = Counter[str]()
        """Nothing answered, or it said that it cannot: the asker knows."""

    def begin(self, port: int) -> None:
        for _ in range(_QUESTIONS):
            threading.Thread(target=self._ask, args=(port,), daemon=True).start()

    def _ask(self, port: int) -> None:
        address, run_id, why = f"http://127.0.0.1:{port}/api/v1/ask", "", ""
        question = {"question": "Who founded station 3?"}
        try:
            with httpx2.stream("POST", address, json=question, headers=self._headers, timeout=120) as answer:
                run_id, why = answer.headers.get("X-Run-Id", ""), f"status {answer.status_code}"
                if run_id:
                    self.run_ids.append(run_id)
                for line in answer.iter_lines():
                    self.told += line == "event: RunFinished"
        except httpx2.HTTPError as error:
            why = type(error).__name__
        if not run_id:
            self.refused[why] += 1


def _undisturbed(files: Sequence[tuple[str, bytes]]) -> str:
    for name in _SHARING:
        os.environ.pop(name, None)
    with tempfile.TemporaryDirectory() as folder, Services(load_settings(Path(folder))) as services:
        base = services.library.bases.create("Reports")
        pipeline = Pipeline(stage_deps(services), Path(folder) / "work")
        for name, data in files:
            pipeline.run(services.lifecycle.intake.add(base.id, name, data)[0].id)
        return canonical_dump(services.storage.engine, base.id)


def _measure(workers: int) -> None:
    with installation() as place, place.made.services("app") as app:
        made, base = place.made, app.library.bases.create("Reports")
        for number in range(workers):
            made.start(number)
        wait_for(lambda: len([each for each in app.storage.processes() if each.kind == "worker"]) == workers)
        first = app.lifecycle.intake.add(base.id, "first.md", b"# First\n\nTo load what is needed.\n")[0]
        wait_for(lambda: app.library.documents.get(first.id).ready_at is not None)
        began = time.monotonic()
        for name, data in texts(_MEASURED).items():
            app.lifecycle.intake.add(base.id, name, data)
        added = time.monotonic() - began
        wait_for(lambda: all_ended(app, base.id), 600.0)
        seconds = time.monotonic() - began
    load = os.getloadavg()[0]
    say_line(
        f"{workers} workers: {_MEASURED} documents in {seconds:.1f} s ({_MEASURED / seconds:.2f} a second; "
        f"adding them took {added:.1f} s); load {load:.1f}",
    )


@dataclass(frozen=True)
class Place:
    made: Installation
    postgres: PostgresServer
    chroma: ChromaServer

    def targets(self) -> dict[str, Callable[[], None]]:
        """What is killed and started again, by name."""
        workers = {f"worker {number}": partial(self._again, number) for number in _NUMBERS["start"]}
        apps = {f"app {number}": partial(self._app_again, number) for number in _NUMBERS["start_app"]}
        return workers | apps | {"Postgres": self._postgres_again, "Chroma": self._chroma_again}

    def _again(self, number: int) -> None:
        self.made.kill(number)
        self.made.start(number)

    def _app_again(self, port: int) -> None:
        self.made.kill_app(port)
        self.made.start_app(port)

    def _postgres_again(self) -> None:
        self.postgres.stop(signal.SIGQUIT)
        self.postgres.start()

    def _chroma_again(self) -> None:
        self.chroma.kill()
        self.chroma.start()


@contextmanager
def installation(model: Slowly | None = None) -> Iterator[Place]:
    """model: what the apps ask; None for the built-in engine."""
    bin = programs()
    if bin is None:
        raise RuntimeError("there is no Postgres on this machine")
    postgres = PostgresServer(bin)
    with tempfile.TemporaryDirectory() as place, ObjectStoreServer() as store, OpenAiServer(model or Slowly()) as llm:
        folder = Path(place)
        (folder / "vectors").mkdir()
        try:
            postgres.start()
            with chroma_server(folder / "vectors") as chroma:
                database = new_database(postgres.url)
                environment: Mapping[str, str] = environment_of(database, chroma.url, store.url, lease_seconds=5)
                os.environ.update(environment)
                of_apps = {"LLM_BASE_URL": llm.base_url, "LLM_MODEL": "slow"} if model else {}
                made = Installation(folder, environment, of_apps)
                try:
                    yield Place(made, postgres, chroma)
                finally:
                    made.stop()
        finally:
            postgres.remove()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
