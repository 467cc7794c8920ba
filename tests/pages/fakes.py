"""Services in memory for the pages: typed, hand-written, with real behaviour as far as a page can see it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime

from core.adapters.pyvis_view import PyvisDrawing
from core.domain.documents import Document, KnowledgeBase
from core.domain.events import END_EVENTS, AnswerDelta, Event, NodeStarted, RunStarted, RunStopped
from core.domain.memories import Memory
from core.domain.runs import Run, RunRequest, RunStatus, Thread, Turn
from core.errors import AppError, NotFoundError
from core.ingest.files import FileStore
from core.ingest.held import HeldUploads
from core.runs.view import RunView
from core.settings import Settings, load_settings
from tests.pages.knowledge_fakes import NOW, FakeGraph, FakeLibrary, sample_graph


class FakeMemoryStore:
    def __init__(self, memories: Sequence[Memory] = ()) -> None:
        self.kept = {memory.id: memory for memory in memories}
        self.near: dict[str, float] = {}
        """Distances by id; others are infinitely far."""
        self.failure: AppError | None = None

    def find(self, query: str = "", status: str = "") -> list[Memory]:
        words = query.lower().split()
        newest = sorted(self.kept.values(), key=lambda memory: memory.created_at, reverse=True)
        return [m for m in newest if status in ("", m.status) and all(word in m.text.lower() for word in words)]

    def get(self, memory_id: str) -> Memory:
        if memory_id not in self.kept:
            raise NotFoundError("error.run_missing")
        return self.kept[memory_id]

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        del query, base_id
        if self.failure:
            raise self.failure
        return [(self.kept[name], distance) for name, distance in self.near.items()][:limit]

    def save(self, memory: Memory) -> None:
        self.kept[memory.id] = memory

    def touch(self, memory_ids: Sequence[str]) -> None:
        del memory_ids

    def delete(self, memory_id: str) -> None:
        self.kept.pop(memory_id, None)


class FakeThreads:
    def __init__(self) -> None:
        self.kept: dict[str, Thread] = {}

    def find(self, query: str = "") -> list[Thread]:
        return [thread for thread in reversed(self.kept.values()) if query.lower() in thread.title.lower()]

    def get(self, thread_id: str) -> Thread:
        if thread_id not in self.kept:
            raise NotFoundError("error.run_missing")
        return self.kept[thread_id]

    def create(self, title: str, base_id: str, workflow: str) -> Thread:
        thread = Thread(f"t{len(self.kept) + 1}", title, base_id, workflow, NOW, NOW)
        self.kept[thread.id] = thread
        return thread

    def rename(self, thread_id: str, title: str) -> None:
        self.kept[thread_id] = replace(self.get(thread_id), title=title)

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        self.kept[thread_id] = replace(self.get(thread_id), web_allowed=allowed)

    def delete(self, thread_id: str) -> None:
        del self.kept[thread_id]

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        del thread_id, limit
        return []


class FakeRunLog:
    def __init__(self) -> None:
        self.kept: dict[str, Run] = {}
        self.logged: dict[str, list[Event]] = {}
        self.reads = 0
        """How often events were asked for."""

    def start(self, request: RunRequest, thread_id: str, engine: str, now: datetime = NOW) -> Run:
        number = f"r{len(self.kept) + 1}"
        parts = (request.base_id, request.question, request.workflow, engine, RunStatus.RUNNING, now)
        self.kept[number] = Run(number, thread_id, *parts)
        self.logged[number] = []
        return self.kept[number]

    def append(self, run_id: str, events: Sequence[Event]) -> int:
        self.logged[run_id] += events
        return len(self.logged[run_id])

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        self.reads += 1
        return list(enumerate(self.logged.get(run_id, []), start=1))[after:]

    def finish(self, run: Run) -> None:
        self.kept[run.id] = run

    def get(self, run_id: str) -> Run:
        if run_id not in self.kept:
            raise NotFoundError("error.run_missing")
        return self.kept[run_id]

    def of_thread(self, thread_id: str) -> list[Run]:
        return [run for run in self.kept.values() if run.thread_id == thread_id]

    def recent(self, limit: int) -> list[Run]:
        return list(reversed(self.kept.values()))[:limit]

    def running(self) -> list[Run]:
        return [run for run in self.kept.values() if run.status is RunStatus.RUNNING]


@dataclass
class FakeWorker:
    """Starts runs and leaves them under way, for the test to go on with."""

    threads: FakeThreads
    runs: FakeRunLog
    asked: list[RunRequest] = field(default_factory=list)
    dead: set[str] = field(default_factory=set)
    views: dict[str, RunView] = field(default_factory=dict)
    """Of runs under way in this process; without one, another process runs it."""
    listeners: dict[str, Callable[[], None]] = field(default_factory=dict)
    warmed: bool = False

    def start(self, request: RunRequest, owner: str = "") -> str:
        self.asked.append(request)
        title, base = request.question[:60], request.base_id
        thread_id = request.thread_id or self.threads.create(title, base, request.workflow).id
        run = self.runs.start(request, thread_id, "built-in")
        begun: list[Event] = [
            RunStarted(run.question, run.workflow, run.engine, owner),
            NodeStarted("guard", 1),
            AnswerDelta("So far"),
        ]
        self.runs.append(run.id, begun)
        return run.id

    def stop(self, run_id: str) -> bool:
        self.end(run_id, [RunStopped(1.0)], RunStatus.STOPPED)
        return True

    def view(self, run_id: str) -> RunView | None:
        return self.views.get(run_id)

    @contextmanager
    def listening(self, run_id: str, heard: Callable[[], None]) -> Iterator[None]:
        self.listeners[run_id] = heard
        try:
            yield
        finally:
            del self.listeners[run_id]

    def is_alive(self, run_id: str, owner_id: str) -> bool:
        return owner_id not in self.dead and self.runs.get(run_id).status is RunStatus.RUNNING

    def recover(self) -> list[str]:
        return []

    def warm(self) -> None:
        self.warmed = True

    def end(self, run_id: str, events: Sequence[Event], status: RunStatus = RunStatus.DONE) -> None:
        assert isinstance(events[-1], END_EVENTS)
        self.runs.append(run_id, events)
        self.runs.finish(replace(self.runs.get(run_id), status=status))

    def close(self) -> None:
        pass


@dataclass
class FakeEngine:
    engine: str = "built-in"


@dataclass
class FakeSupervisor:
    started: bool = False

    def start(self) -> None:
        self.started = True


@dataclass
class FakePageImages:
    """Every document has two pages."""

    drawn: list[tuple[str, int, int]] = field(default_factory=list)

    def shows(self, document: Document) -> bool:
        return document.media_type == "application/pdf"

    def png(self, document_id: str, page: int, width: int) -> bytes:
        if page > 1:
            raise NotFoundError("error.document_missing")
        self.drawn.append((document_id, page, width))
        return b"\x89PNG of a page"


@dataclass
class FakeServices:
    settings: Settings = field(default_factory=load_settings)
    library: FakeLibrary = field(default_factory=FakeLibrary)
    graph: FakeGraph = field(default_factory=sample_graph)
    memories: FakeMemoryStore = field(default_factory=FakeMemoryStore)
    threads: FakeThreads = field(default_factory=FakeThreads)
    runs: FakeRunLog = field(default_factory=FakeRunLog)
    files: FileStore = field(default_factory=lambda: FileStore(load_settings().files))
    held: HeldUploads = field(default_factory=lambda: HeldUploads(load_settings().data / "held"))
    page_images: FakePageImages = field(default_factory=FakePageImages)
    llm: FakeEngine = field(default_factory=FakeEngine)
    supervisor: FakeSupervisor = field(default_factory=FakeSupervisor)
    drawing: PyvisDrawing = field(default_factory=PyvisDrawing)
    web_configured: bool = False
    langfuse_configured: bool = False
    closed: bool = False

    def warm(self) -> None:
        self.worker.warm()

    def __post_init__(self) -> None:
        self.worker = FakeWorker(self.threads, self.runs)

    def load_sample(self) -> KnowledgeBase:
        return self.library.create_base("Sample library")

    def close(self) -> None:
        self.closed = True
