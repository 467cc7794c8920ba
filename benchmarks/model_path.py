"""`python -m benchmarks model_path`: what a question costs with a model, beside the nine calls of the tutorials."""

import json
import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.asked import Case, cases_and_rows
from benchmarks.model_process import answering
from benchmarks.nine_calls import NineCalls
from benchmarks.output import say
from core.app.bench.retrieval import Corpus
from core.app.services import Services
from core.platform.language.detect import detect_language
from core.platform.settings.settings import Settings
from core.runs.events import Degraded, Event, ModelCalled, RunFinished
from core.runs.execution.budget import Budget, RunMeter
from core.runs.execution.worker import RunWorker
from core.runs.model import RunRequest, Turn, Usage

LATENCY = 0.2
"""Seconds until a model's first token; what follows it comes at once."""


@dataclass(frozen=True, slots=True)
class Measured:
    case: Case
    usage: Usage
    first_seconds: float
    """Until the first word of the answer that stands was visible."""
    tasks: tuple[str, ...] = ()


class Never:
    def requested(self) -> bool:
        return False


def main(data: Path) -> None:
    cases, rows = cases_and_rows(data)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "cases.json"
        path.write_text(json.dumps([asdict(case) for case in cases], ensure_ascii=False), encoding="utf-8")
        with (
            answering("answering_model", str(path), str(LATENCY)) as address,
            services_at(Path(folder) / "data", address) as services,
        ):
            corpus = Corpus(services)
            corpus.load(rows)
            services.warm()
            tutorial = list(_nine_calls(cases, services, corpus.base_id))
            ours = list(_adaptive(cases, services, corpus.base_id))
    say(f"{len(cases)} questions of {len(rows)} passages, model latency {1000 * LATENCY:.0f} ms\n")
    _table(tutorial, ours)


@contextmanager
def services_at(data: Path, address: str) -> Iterator[Services]:
    changes = {"data": data, "database_url": "", "chroma_url": "", "llm_base_url": address, "llm_model": "bench"}
    with Services(Settings().model_copy(update=changes)) as services:
        yield services


def _nine_calls(cases: Sequence[Case], services: Services, base_id: str) -> Iterator[Measured]:
    tutorial = NineCalls(services.llm, services.search.retriever, services.library)
    for case in cases:
        events: list[Event] = []
        meter = RunMeter(Budget(), events.append, Never())
        history = [Turn("user", case.follows), Turn("assistant", "…")] if case.follows else []
        first = tutorial.first_words(base_id, case.question, detect_language(case.question), history, meter)
        called = [event for event in events if isinstance(event, ModelCalled)]
        usage = sum((event.usage for event in called), Usage())
        yield Measured(case, usage, first, tuple(event.task for event in called))


def _adaptive(cases: Sequence[Case], services: Services, base_id: str) -> Iterator[Measured]:
    threads: dict[str, str] = {}
    for case in cases:
        request = RunRequest(case.question, base_id, thread_id=threads.get(case.follows, ""), use_memory=False)
        started = time.perf_counter()
        run_id = services.worker.start(request)
        watch = Watch(services.worker, run_id, started)
        with services.worker.listening(run_id, watch.look):
            events = [event for _, event in services.worker.follow(run_id)]
        threads[case.question] = services.runs.get(run_id).thread_id
        ended = next(event for event in events if isinstance(event, RunFinished))
        yield Measured(case, ended.usage, watch.first, tuple(_tasks(events)))


class Watch:
    """Sees a run as a page does, which is told of every event and draws the run ahead of its log."""

    def __init__(self, worker: RunWorker, run_id: str, started: float) -> None:
        self._worker, self._run_id, self._started = worker, run_id, started
        self.first = math.nan
        """Seconds until the answer began that was not taken back."""

    def look(self) -> None:
        view = self._worker.view(self._run_id)
        if view and not view.answer:
            self.first = math.nan
        elif math.isnan(self.first):
            self.first = time.perf_counter() - self._started


def _tasks(events: Iterable[Event]) -> Iterator[str]:
    for event in events:
        match event:
            case ModelCalled():
                yield event.task
            case Degraded():
                yield f"!{event.task}:{event.reason}"


def _table(tutorial: Sequence[Measured], ours: Sequence[Measured]) -> None:
    say(
        "| questions | n | calls: nine-call shape | ours | prompt tokens: nine-call shape | ours | first word, in model"
    )
    say(" latencies: nine-call shape, median / p95 | ours, median / p95 |\n|---|---|---|---|---|---|---|---|\n")
    for kind in (*dict.fromkeys(it.case.kind for it in ours), "all"):
        here = [[it for it in rows if kind in (it.case.kind, "all")] for rows in (tutorial, ours)]
        cells = [f"{_mean(rows, lambda it: it.usage.model_calls):.2f}" for rows in here]
        cells += [f"{_mean(rows, lambda it: it.usage.prompt_tokens):.0f}" for rows in here]
        cells += [_latencies(rows) for rows in here]
        say(f"| {kind} | {len(here[1])} | {' | '.join(cells)} |\n")
    own = [1000 * (it.first_seconds - LATENCY) for it in ours if len(it.tasks) == 1]
    say(
        f"\nOur own time to the first word beyond the model, one-call questions: median {statistics.median(own):.1f} ms"
    )
    say(f", p95 {_p95(own):.1f} ms\n")


def _mean(rows: Sequence[Measured], of: Callable[[Measured], float]) -> float:
    return statistics.fmean(map(of, rows))


def _latencies(rows: Sequence[Measured]) -> str:
    seconds = [it.first_seconds / LATENCY for it in rows]
    return f"{statistics.median(seconds):.2f} / {_p95(seconds):.2f}"


def _p95(values: Sequence[float]) -> float:
    return sorted(values)[math.ceil(0.95 * len(values)) - 1]
