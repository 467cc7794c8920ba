"""The ports in memory, hand-written and typed: a small library with its search, graph, memories, threads and runs."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta

from pydantic import BaseModel

from core.domain.documents import (
    Block,
    Chunk,
    DeletionPreview,
    Document,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    Span,
    StageProgress,
    Summary,
)
from core.domain.events import Event, ModelCalled
from core.domain.knowledge import Entity, GraphStats, GraphView, Mention, MentionView, Neighbour, Relation
from core.domain.memories import Memory, MemoryKind, MemoryStatus
from core.domain.passages import Hit, Passage
from core.domain.runs import Run, RunRequest, RunStatus, Thread, Turn, Usage
from core.errors import BudgetError, CancelledError, NotFoundError
from core.language.terms import content_terms
from core.ports import IndexEntry, Meter, Publication
from core.state import Deps, State
from core.tasks import Output, Request, Task, TextTask

NOW = datetime(2026, 1, 5, 12, 0, tzinfo=UTC)
BASE = "base"


def chunk_of(document_id: str, index: int, text: str, section: tuple[str, ...] = (), page: int = 0) -> Chunk:
    """One span and one box over the whole text."""
    box = (100, 100 + 10 * index, 900, 140 + 10 * index)
    span = Span(0, len(text), index, page, box)
    return Chunk(f"{document_id}-{index}", document_id, index, text, section, (span,))


@dataclass
class FakeLibrary:
    """Ready documents made of texts; what nodes do not use is not there."""

    base_name: str = "Sample"
    version: int = 1
    kept: dict[str, Document] = field(default_factory=dict)
    chunk_list: list[Chunk] = field(default_factory=list)

    def add(self, name: str, *texts: str | tuple[str, str], title: str = "") -> str:
        """Texts, or (heading, text) pairs, one a page; returns the document's id."""
        document_id = f"d{len(self.kept) + 1}"
        self.kept[document_id] = Document(
            id=document_id,
            base_id=BASE,
            name=name,
            sha256="0" * 64,
            size=1,
            media_type="application/pdf",
            added_at=NOW,
            status=DocumentStatus.READY,
            title=title,
        )
        for index, given in enumerate(texts):
            heading, text = given if isinstance(given, tuple) else ("", given)
            section = (heading,) if heading else ()
            self.chunk_list.append(chunk_of(document_id, index, text, section, page=index))
        return document_id

    def file_in_use(self, sha256: str) -> bool:
        return any(document.sha256 == sha256 for document in self.kept.values())

    def bases(self) -> list[KnowledgeBase]:
        return [self.base(BASE)]

    def base(self, base_id: str) -> KnowledgeBase:
        if base_id != BASE:
            raise NotFoundError("error.base_missing", name=base_id)
        return KnowledgeBase(BASE, self.base_name, NOW, self.version)

    def base_named(self, name: str) -> KnowledgeBase | None:
        return self.base(BASE) if name == self.base_name else None

    def documents(self, base_id: str) -> list[Document]:
        return [document for document in self.kept.values() if document.base_id == base_id]

    def document(self, document_id: str) -> Document:
        return self.kept[document_id]

    def chunks(self, document_id: str) -> list[Chunk]:
        return [chunk for chunk in self.chunk_list if chunk.document_id == document_id]

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        by_id = {chunk.id: chunk for chunk in self.chunk_list if chunk.enabled}
        found = (by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id)
        return [Passage(chunk, self.kept[chunk.document_id].name, 0.0) for chunk in found]

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        return {passage.chunk.id for passage in self.passages(chunk_ids)}

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]:
        raise NotImplementedError

    def create_base(self, name: str) -> KnowledgeBase:
        raise NotImplementedError

    def rename_base(self, base_id: str, name: str) -> None:
        raise NotImplementedError

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        raise NotImplementedError

    def restore_base(self, base: KnowledgeBase) -> None:
        raise NotImplementedError

    def delete_base(self, base_id: str) -> None:
        raise NotImplementedError

    def add_document(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        raise NotImplementedError

    def record_stage(self, document_id: str, progress: StageProgress) -> None:
        raise NotImplementedError

    def stages(self, document_id: str) -> list[StageProgress]:
        raise NotImplementedError

    def publish(self, publication: Publication) -> None:
        raise NotImplementedError

    def publication(self, document_id: str) -> Publication:
        raise NotImplementedError

    def restore(self, document: Document, publication: Publication | None) -> None:
        raise NotImplementedError

    def replace_chunk(
        self,
        chunk: Chunk,
        entities: Sequence[Entity],
        mentions: Sequence[Mention],
        relations: Sequence[Relation] | None = None,
    ) -> None:
        raise NotImplementedError

    def enable_chunk(self, chunk_id: str, enabled: bool) -> None:
        raise NotImplementedError

    def replace_document(self, document_id: str, replaced_id: str) -> None:
        raise NotImplementedError

    def choose_parser(self, document_id: str, parser: str) -> None:
        raise NotImplementedError

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        raise NotImplementedError

    def resume(self, document_id: str) -> None:
        raise NotImplementedError

    def record_spent(self, document_id: str, spent: Effort) -> None:
        raise NotImplementedError

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None:
        raise NotImplementedError

    def restart(self, document_id: str) -> None:
        raise NotImplementedError

    def cancel(self, document_id: str) -> None:
        raise NotImplementedError

    def mark_form(self, document_id: str, form: bool) -> None:
        self.kept[document_id] = replace(self.kept[document_id], form=form)

    def summaries(self, document_ids: Sequence[str]) -> list[Summary]:
        raise NotImplementedError

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        raise NotImplementedError

    def delete_document(self, document_id: str) -> None:
        raise NotImplementedError

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        raise NotImplementedError


@dataclass
class FakeRetriever:
    """Scores chunks by the share of the query's content terms that they hold; notes what it was asked."""

    library: FakeLibrary
    asked: list[tuple[str, str]] = field(default_factory=list)
    failure: Exception | None = None

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        return self._found("chunks", query, limit, documents)

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        raise NotImplementedError

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._found("hierarchical", query, limit, ())

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        return self._found("graph", query, limit, ())

    def _found(self, route: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        self.asked.append((route, query))
        if self.failure:
            raise self.failure
        wanted = set(content_terms(query))
        hits = [
            Hit(chunk.id, len(wanted & set(content_terms(f"{' '.join(chunk.section)} {chunk.text}"))) / len(wanted))
            for chunk in self.library.chunk_list
            if wanted and (not documents or chunk.document_id in documents)
        ]
        best = sorted((hit for hit in hits if hit.score > 0), key=lambda hit: (-hit.score, hit.chunk_id))
        return [replace(hit, sources=("lexical",)) for hit in best[:limit]]


@dataclass
class FakeGraph:
    """Entities by name; a chunk mentions those whose name stands in its text."""

    library: FakeLibrary
    entities: list[Entity] = field(default_factory=list)

    def add(self, name: str, type: str = "CONCEPT", aliases: tuple[str, ...] = ()) -> None:
        self.entities.append(Entity(f"e-{name}", BASE, name, type, aliases))

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        found = [e for e in self.entities if any(n.lower() in text.lower() for n in (e.name, *e.aliases))]
        return sorted(found, key=lambda entity: (-len(entity.name), entity.name))[:limit]

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        passages = self.library.passages(chunk_ids)
        return {passage.chunk.id: self.named_in(BASE, passage.chunk.text, 100) for passage in passages}

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        held = self.of_chunks(chunk_ids).values()
        found = [*self.named_in(base_id, text, limit), *(entity for inside in held for entity in inside)]
        return list(dict.fromkeys(entity.id for entity in found))[:limit]

    def stats(self, base_id: str) -> GraphStats:
        raise NotImplementedError

    def entity(self, entity_id: str) -> Entity:
        raise NotImplementedError

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        raise NotImplementedError

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        held = self.of_chunks([chunk.id for chunk in self.library.chunk_list])
        counts = {chunk_id: sum(entity.id in entity_ids for entity in inside) for chunk_id, inside in held.items()}
        best = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
        return [pair for pair in best if pair[1]][:limit]

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        raise NotImplementedError

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """Those of the chunks that mention the entity, one hop away."""
        mentioned = self.of_chunks([chunk.id for chunk in self.library.chunk_list]).values()
        near = (entity for held in mentioned if any(e.id == entity_id for e in held) for entity in held)
        others = {entity.id: entity for entity in near if entity.id != entity_id}
        return [Neighbour(entity, 1, 1.0) for entity in others.values()][:limit]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        raise NotImplementedError

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        raise NotImplementedError

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        raise NotImplementedError

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        raise NotImplementedError


def memory_of(text: str, kind: MemoryKind = MemoryKind.FACT, **changes: object) -> Memory:
    made = Memory(f"m-{text}", text, kind, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW)
    return replace(made, **changes)  # type: ignore[arg-type]  # fields of Memory


@dataclass
class FakeMemories:
    """Distance is one minus the share of common content terms."""

    kept: dict[str, Memory] = field(default_factory=dict)
    touched: list[str] = field(default_factory=list)
    failure: Exception | None = None

    def find(self, query: str = "", status: str = "") -> list[Memory]:
        return [m for m in self.kept.values() if query in m.text and status in {"", m.status}]

    def get(self, memory_id: str) -> Memory:
        if memory_id not in self.kept:
            raise NotFoundError("storage.memory_gone")
        return self.kept[memory_id]

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        if self.failure:
            raise self.failure
        asked = set(content_terms(query))
        found = []
        for memory in self.kept.values():
            said = set(content_terms(memory.text))
            shared = len(asked & said) / max(1, min(len(asked), len(said)))
            if memory.status is MemoryStatus.ACTIVE and memory.base_id in {"", base_id}:
                found.append((memory, 1 - shared))
        return sorted(found, key=lambda pair: (pair[1], pair[0].id))[:limit]

    def save(self, memory: Memory) -> None:
        self.kept[memory.id] = memory

    def touch(self, memory_ids: Sequence[str]) -> None:
        self.touched += memory_ids

    def delete(self, memory_id: str) -> None:
        self.kept.pop(memory_id, None)


@dataclass
class FakeMeter:
    """A budget of seconds, and of calls where max_calls is given."""

    seconds: float = 60.0
    max_calls: int = 1_000
    stopped: Callable[[], bool] = lambda: False
    emit: Callable[[Event], None] = lambda event: None
    max_tools: int = 1_000
    calls: list[str] = field(default_factory=list)
    tools: list[tuple[str, str]] = field(default_factory=list)
    degradations: list[tuple[str, str]] = field(default_factory=list)

    def remaining_seconds(self) -> float:
        return self.seconds

    def before_call(self, task: str) -> None:
        if self.stopped():
            raise CancelledError("error.cancelled")
        if len(self.calls) >= self.max_calls or self.seconds <= 0:
            raise BudgetError("llm.budget_calls")
        self.calls.append(task)

    def after_call(self, task: str, prompt: str, response: str, seconds: float, usage: Usage) -> None:
        self.emit(ModelCalled(task, prompt, response, seconds, usage))

    def before_tool(self, tool: str, arguments: str) -> None:
        if self.stopped():
            raise CancelledError("error.cancelled")
        if len(self.tools) >= self.max_tools:
            raise BudgetError("llm.budget_tool_calls")
        self.tools.append((tool, arguments))

    def degraded(self, task: str, reason: str) -> None:
        self.degradations.append((task, reason))

    def cancelled(self) -> bool:
        return self.stopped()


class RuleLlm:
    """The built-in engine: every task by its rule."""

    engine = "built-in"

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        return task.rule(request)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        yield from task.rule(request)

    def agent(self) -> None:
        return None


class Said:
    """A streamed text in its pieces; an exception among them is raised there."""

    def __init__(self, *pieces: str | Exception) -> None:
        self.pieces = pieces


Given = BaseModel | Said | Exception


class FakeLlm:
    """A model that gives what it is told to: one item a call of a task, the last one again and again."""

    engine = "fake-model"

    def __init__(self, **given: Given | list[Given]) -> None:
        self.given = {name: items if isinstance(items, list) else [items] for name, items in given.items()}
        self.requests: list[tuple[str, object]] = []

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        item = self._next(task.name, request, meter)
        if not isinstance(item, task.output):
            raise AssertionError(f"{task.name} wants {task.output.__name__}, the test gave {item!r}")
        return item

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        item = self._next(task.name, request, meter)
        if not isinstance(item, Said):
            raise AssertionError(f"{task.name} wants a text, the test gave {item!r}")
        for piece in item.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def agent(self) -> None:
        return None

    def _next(self, name: str, request: object, meter: Meter) -> Given:
        self.requests.append((name, request))
        meter.before_call(name)
        if name not in self.given:
            raise AssertionError(f"the model was asked for {name}, which the test did not expect")
        items = self.given[name]
        item = items.pop(0) if len(items) > 1 else items[0]
        meter.after_call(name, "prompt", "response", 0.1, Usage(1, 100, 10))
        if isinstance(item, Exception):
            raise item
        return item


@dataclass
class FakeThreads:
    kept: dict[str, Thread] = field(default_factory=dict)
    turns: dict[str, list[Turn]] = field(default_factory=dict)

    def find(self, query: str = "") -> list[Thread]:
        return [thread for thread in self.kept.values() if query in thread.title]

    def get(self, thread_id: str) -> Thread:
        if thread_id not in self.kept:
            raise NotFoundError("storage.thread_gone")
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
        self.kept.pop(thread_id, None)

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        return self.turns.get(thread_id, [])[-limit:]


class FakeRunLog:
    """Runs and events in order; safe to use from several threads."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.runs: dict[str, Run] = {}
        self.log: dict[str, list[Event]] = {}
        self.appends: list[int] = []
        """How many events each append brought."""
        self.failure = failure
        self._lock = threading.Lock()

    def start(self, request: RunRequest, thread_id: str, engine: str) -> Run:
        with self._lock:
            run = Run(
                id=f"r{len(self.runs) + 1}",
                thread_id=thread_id,
                base_id=request.base_id,
                question=request.question,
                workflow=request.workflow,
                engine=engine,
                status=RunStatus.RUNNING,
                started_at=NOW + timedelta(seconds=len(self.runs)),
            )
            self.runs[run.id], self.log[run.id] = run, []
            return run

    def append(self, run_id: str, events: Sequence[Event]) -> int:
        with self._lock:
            if self.failure:
                raise self.failure
            if run_id not in self.log:
                raise NotFoundError("error.run_missing")
            self.log[run_id] += events
            self.appends.append(len(events))
            return len(self.log[run_id])

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]:
        with self._lock:
            return list(enumerate(self.log.get(run_id, ()), start=1))[after:]

    def finish(self, run: Run) -> None:
        with self._lock:
            if run.id not in self.runs:
                raise NotFoundError("error.run_missing")
            self.runs[run.id] = run

    def get(self, run_id: str) -> Run:
        with self._lock:
            if run_id not in self.runs:
                raise NotFoundError("error.run_missing")
            return self.runs[run_id]

    def of_thread(self, thread_id: str) -> list[Run]:
        return [run for run in self.runs.values() if run.thread_id == thread_id]

    def recent(self, limit: int) -> list[Run]:
        return list(self.runs.values())[::-1][:limit]

    def running(self) -> list[Run]:
        return [run for run in self.runs.values() if run.status is RunStatus.RUNNING]


@dataclass
class World:
    """Everything a run needs, and what it emitted."""

    library: FakeLibrary = field(default_factory=FakeLibrary)
    memories: FakeMemories = field(default_factory=FakeMemories)
    meter: FakeMeter = field(default_factory=FakeMeter)
    llm: RuleLlm | FakeLlm = field(default_factory=RuleLlm)
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.retriever = FakeRetriever(self.library)
        self.graph = FakeGraph(self.library)

    def deps(self, emit: Callable[[Event], None] | None = None) -> Deps:
        out = emit or self.events.append
        self.meter.emit = out
        return Deps(
            llm=self.llm,
            retriever=self.retriever,
            library=self.library,
            graph=self.graph,
            memories=self.memories,
            meter=self.meter,
            emit=out,
            now=lambda: NOW,
        )

    def of(self, kind: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


def state_of(question: str, **fields: object) -> State:
    made = State(question=question, base_id=BASE, thread_id="t1", run_id="r1")
    return replace(made, **fields)  # type: ignore[arg-type]  # fields of State
