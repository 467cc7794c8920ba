"""The sockets of the core: what it needs of storage, indexes, models, parsers and the web.

Adapters under core/adapters implement them; tests/contracts holds one suite per port that every adapter passes.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal, Protocol

from core.agents import Agent
from core.domain.documents import (
    Block,
    Chunk,
    DeletionPreview,
    Document,
    Effort,
    KnowledgeBase,
    Stage,
    StageProgress,
    Summary,
)
from core.domain.events import Event
from core.domain.knowledge import (
    Entity,
    Found,
    FoundRelation,
    GraphStats,
    GraphView,
    Mention,
    MentionView,
    Neighbour,
    Relation,
)
from core.domain.memories import Memory
from core.domain.passages import Hit, Passage
from core.domain.runs import Run, RunRequest, Thread, Turn, Usage
from core.tasks import Output, Request, Task, TextTask


class Cancel(Protocol):
    """Asked between pieces of work; set from another thread or process."""

    def requested(self) -> bool: ...


class Meter(Protocol):
    """What every model call of one question goes through: limits before, counts after."""

    def remaining_seconds(self) -> float: ...

    def before_call(self, task: str) -> None:
        """Raises BudgetError or CancelledError when no further call may start."""

    def after_call(self, task: str, prompt: str, response: str, seconds: float, usage: Usage) -> None: ...

    def before_tool(self, tool: str, arguments: str) -> None:
        """Raises BudgetError or CancelledError when the tool may not be called; arguments are JSON."""

    def degraded(self, task: str, reason: str) -> None:
        """The model failed and the rule answered."""

    def cancelled(self) -> bool: ...


BUILT_IN = "built-in"
"""The engine of the rules."""


class Llm(Protocol):
    """The one seam for models. The offline adapter runs the tasks' rules; the chat adapter fills prompts."""

    @property
    def engine(self) -> str:
        """BUILT_IN, or the model's name."""

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        """The task's output; on a model failure the rule's, after meter.degraded()."""

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        """Pieces of text. A failure before the first piece falls back to the rule; one after it raises ServiceError,
        and what was yielded is kept as an interrupted answer."""

    def agent(self) -> Agent | None:
        """The model as one that calls tools itself; None for the rules, and for an endpoint that knows no tools."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Model and dimension, usable in a collection name; another name means another index."""

    @property
    def dimension(self) -> int: ...

    @property
    def semantic(self) -> bool:
        """Whether nearness means meaning; False when the vectors know no more than the words do."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Unit vectors, one a text, in order."""

    def embed_query(self, text: str) -> Sequence[float]: ...


@dataclass(frozen=True, slots=True)
class IndexEntry:
    """A chunk as indexes see it; title and section are searched with the text and weigh more."""

    chunk_id: str
    document_id: str
    title: str
    section: str
    """Heading path, outermost first, one heading a line."""
    text: str


class ChunkIndex(Protocol):
    """Vectors of chunks and summaries, one collection a knowledge base, embedder and level; rebuildable from SQL."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        """level is `chunks` or `summaries`; entries carry the ids of that level."""

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """(id, cosine similarity), best first; an index that cannot be read raises ServiceError, never gives []."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None: ...

    def delete_base(self, base_id: str) -> None: ...

    def count(self, base_id: str, level: str) -> int: ...


class LexicalIndex(Protocol):
    """Words of chunks and summaries, ranked by BM25; same levels and the same rules as ChunkIndex."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None: ...

    def search(
        self, base_id: str, level: str, query: str, limit: int, documents: Sequence[str] = ()
    ) -> list[tuple[str, float]]:
        """(id, BM25 score), best first."""

    def titled(
        self, base_id: str, level: str, names: Sequence[str], query: str, limit: int
    ) -> list[tuple[str, str, str]]:
        """(id, document id, name) of entries whose title or last heading is one of the names, best for the query first.

        Case, accents, width, script and punctuation make no difference between names, and a remark in brackets at the
        end, as in "Levity (film)", does not count.
        """

    def matches(self, base_id: str, level: str, terms: Sequence[str], ids: Sequence[str]) -> dict[str, frozenset[str]]:
        """Which of the terms each entry holds in title, section or text; unknown ids are left out."""

    def frequencies(self, base_id: str, level: str, terms: Sequence[str]) -> tuple[int, dict[str, int]]:
        """How many entries there are, and how many hold each of the terms."""

    def documents_of(self, base_id: str, level: str, ids: Sequence[str]) -> dict[str, str]:
        """Document of each entry; unknown ids are left out."""

    def delete_documents(self, base_id: str, document_ids: Sequence[str]) -> None: ...

    def delete_base(self, base_id: str) -> None: ...

    def count(self, base_id: str, level: str) -> int: ...


class Retriever(Protocol):
    """Chunks for a query, of ready documents and enabled chunks only."""

    def chunks(self, base_id: str, query: str, limit: int, documents: Sequence[str] = ()) -> list[Hit]:
        """Vector and lexical search fused."""

    def probe(self, base_id: str, query: str, limit: int, documents: Sequence[str]) -> list[Hit]:
        """As chunks(), with those that are switched off: for a person who tries a query out."""

    def hierarchical(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Summaries first (3 hits), then chunks of their documents."""

    def graph(self, base_id: str, query: str, limit: int) -> list[Hit]:
        """Chunks reached through the entities of the query and their neighbours, fused with plain search."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser made of a file."""

    blocks: tuple[Block, ...]
    pages: int
    parser: str
    """Name and version."""
    title: str = ""
    notes: tuple[str, ...] = ()


Progress = Callable[[int, int], None]
"""(done, total) of whatever is counted."""


class DocumentParser(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def identity(self) -> str:
        """Name, version and options: under the same identity the same file gives the same result."""

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        """Raises InputError (encrypted, damaged, a scan ...) with the remedy, ServiceError when the parser failed."""


class IngestQueue(Protocol):
    """Documents on their way into a knowledge base; durable, and the same from every process of the data folder."""

    def submit(self, document_id: str) -> None:
        """Again is harmless: a document that waits or runs is not run twice."""

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""

    def retry(self, document_id: str) -> None:
        """From the stage that failed; finished stages keep their results. Raises NotFoundError."""

    def resume(self, document_id: str) -> None:
        """A paused document goes on, whatever it is estimated to take. Raises NotFoundError."""


class StageRunner(Protocol):
    """What a durable engine calls."""

    def run(self, document_id: str, stage: Stage) -> bool:
        """Whether the next stage follows; failures are recorded with the document. Raises RetryableServiceError."""

    def give_up(self, document_id: str, stage: Stage) -> None:
        """The stage failed at every attempt."""


class IngestEngine(Protocol):
    """Runs each document through the stages, in the ingestion process; what was finished before a crash stays so."""

    def start(self, runner: StageRunner) -> None:
        """Goes on with what was interrupted."""

    def enqueue(self, document_id: str) -> None:
        """Nothing happens when it waits or runs already."""

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        """Of the newest enqueuing; broken is one that brought the process down too often."""

    def stop(self) -> None: ...


class Extractor(Protocol):
    """Entities of texts. All chunks of a document at once, because document statistics decide what is a term."""

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]: ...


class AnswerStore(Protocol):
    """Answers of a model that were paid for: they outlive a crash, and a retry asks only for those that are missing."""

    def get(self, key: str) -> str:
        """Empty when there is none."""

    def put(self, key: str, answer: str) -> None:
        """Whole or not at all."""


@dataclass(frozen=True, slots=True)
class ExtractionOrder:
    """One document to be searched for entities."""

    texts: Sequence[str]
    language: str
    types: tuple[str, ...]
    """Classes that a model is asked for; empty means the standard ones. The rules know the standard ones only."""
    answers: AnswerStore
    cancel: Cancel
    progress: Progress
    """Called with (texts done, all texts)."""


@dataclass(frozen=True, slots=True)
class Extraction:
    """What was found in a document's texts, and what it took."""

    found: tuple[tuple[Found, ...], ...]
    """One row a text."""
    relations: tuple[FoundRelation, ...] = ()
    notes: tuple[str, ...] = ()
    """As core.domain.notes writes them."""
    usage: Usage = field(default_factory=Usage)


class DocumentExtractor(Extractor, Protocol):
    """The extractor of whole documents, by rules or by a model."""

    @property
    def engine(self) -> str:
        """BUILT_IN, or the model's name."""

    def extract_document(self, order: ExtractionOrder) -> Extraction:
        """Raises CancelledError. A model that fails costs its part the model, not the document its entities."""


@dataclass(frozen=True, slots=True)
class Publication:
    """Everything that makes a document visible, written in one transaction."""

    document_id: str
    title: str
    language: str
    parser: str
    pages: int
    notes: tuple[str, ...]
    blocks: tuple[Block, ...]
    chunks: tuple[Chunk, ...]
    summaries: tuple[Summary, ...]
    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]
    relations: tuple[Relation, ...] = ()
    """Stated relations only; co-occurrence is derived from the mentions."""


class Library(Protocol):
    """Knowledge bases and documents: the truth."""

    def bases(self) -> list[KnowledgeBase]: ...

    def base(self, base_id: str) -> KnowledgeBase:
        """Raises NotFoundError."""

    def base_named(self, name: str) -> KnowledgeBase | None: ...

    def create_base(self, name: str) -> KnowledgeBase:
        """Raises InputError when the name is empty, too long or taken."""

    def rename_base(self, base_id: str, name: str) -> None: ...

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        """What a model is asked for from the next document on; none for the standard ones. Raises NotFoundError."""

    def delete_base(self, base_id: str) -> None: ...

    def restore_base(self, base: KnowledgeBase) -> None:
        """A base that was deleted, as it was, without documents; nothing happens when it is there.

        Raises InputError when its name is taken.
        """

    def add_document(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        """The document and whether it is new: the same bytes in the same base are one document.

        parser: the one chosen for a new document; that of the settings when empty.
        """

    def documents(self, base_id: str) -> list[Document]: ...

    def document(self, document_id: str) -> Document:
        """Raises NotFoundError."""

    def record_stage(self, document_id: str, progress: StageProgress) -> None: ...

    def stages(self, document_id: str) -> list[StageProgress]: ...

    def publish(self, publication: Publication) -> None:
        """One transaction; publishing again replaces the document's parts. Raises NotFoundError when it was deleted."""

    def publication(self, document_id: str) -> Publication:
        """What was published, edits included. Raises NotFoundError when the document is not ready."""

    def restore(self, document: Document, publication: Publication | None) -> None:
        """A document that was deleted, as it was, in one transaction; nothing happens when it is there.

        Raises NotFoundError when its base is gone.
        """

    def replace_chunk(
        self,
        chunk: Chunk,
        entities: Sequence[Entity],
        mentions: Sequence[Mention],
        relations: Sequence[Relation] | None = None,
    ) -> None:
        """Text, spans and all mentions of one chunk of a ready document, in one transaction. Raises NotFoundError.

        relations: all that the document states now; as they are when None.
        """

    def enable_chunk(self, chunk_id: str, enabled: bool) -> None:
        """Raises NotFoundError."""

    def replace_document(self, document_id: str, replaced_id: str) -> None:
        """The other document goes in the moment in which this one is published; none with "". Raises NotFoundError."""

    def choose_parser(self, document_id: str, parser: str) -> None:
        """For the next time it is parsed; that of the settings when empty. Raises NotFoundError."""

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        """paused: it waits for a person before anything is spent. Raises NotFoundError."""

    def resume(self, document_id: str) -> None:
        """A paused document may go on, whatever its estimate says. Raises NotFoundError."""

    def record_spent(self, document_id: str, spent: Effort) -> None:
        """Raises NotFoundError."""

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None: ...

    def restart(self, document_id: str) -> None:
        """Clear failure and progress, before the pipeline runs again."""

    def cancel(self, document_id: str) -> None: ...

    def mark_form(self, document_id: str, form: bool) -> None:
        """Whether the document is a form that readers download and fill in. Raises NotFoundError."""

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]: ...

    def chunks(self, document_id: str) -> list[Chunk]: ...

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        """In the order given; ids that are unknown, disabled or of documents that are not ready are left out."""

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        """Those of them that passages() would give."""

    def summaries(self, document_ids: Sequence[str]) -> list[Summary]: ...

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        """Of deleting all of them at once. Raises NotFoundError when one is gone."""

    def delete_document(self, document_id: str) -> None:
        """Removes exactly what only this document supports."""

    def file_in_use(self, sha256: str) -> bool:
        """Whether a document of any base has this content."""

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        """All entries of ready documents in batches, for rebuilding an index."""


class KnowledgeGraph(Protocol):
    """Entities and relations of a knowledge base; always the current ones."""

    def stats(self, base_id: str) -> GraphStats: ...

    def entity(self, entity_id: str) -> Entity:
        """Raises NotFoundError."""

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        """Case-insensitive substring on name and aliases; exact, then prefix, then substring, then by mentions."""

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        """Entities whose name or alias occurs in the text, longest names first."""

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]: ...

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        """Ids of the entities named in the text, then of those that the chunks mention, chunk by chunk."""

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        """(chunk id, number of the entities mentioned), most first."""

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        """(chunk, other chunk, number of chunks that mention it) for each entity that two chunks share, rarest first.

        Entities mentioned more than most_mentions times are left out: they join everything with everything.
        """

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """Nearest hop first, strongest first, at most limit of each hop."""

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        """The neighbourhood of the entities; with none given, the most connected part."""

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]: ...

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]: ...

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        """For export."""


class GraphDrawing(Protocol):
    """A part of the graph as a page of its own for the browser."""

    def page(self, view: GraphView, positions: Sequence[tuple[float, float]], lines: int) -> str:
        """HTML in which names are data, never markup; positions has one (x, y) an entity, in any unit.

        The first `lines` relations are always drawn, the others with the selected entity that they belong to.
        It loads view.css, view.js and vis-network.min.js from assets/ beside it. Raises ValueError if it is too large.
        """

    def script(self) -> Path:
        """The file that is served as vis-network.min.js."""

    def warm(self) -> None:
        """Load what the first page would otherwise wait for."""


class MemoryStore(Protocol):
    def find(self, query: str = "", status: str = "") -> list[Memory]:
        """Newest first; a query matches by word."""

    def get(self, memory_id: str) -> Memory:
        """Raises NotFoundError."""

    def candidates(self, query: str, base_id: str, limit: int) -> list[tuple[Memory, float]]:
        """Active memories with their distance to the query (0 is the same), nearest first; not yet ranked."""

    def save(self, memory: Memory) -> None: ...

    def touch(self, memory_ids: Sequence[str]) -> None:
        """They were used now."""

    def delete(self, memory_id: str) -> None: ...


class Threads(Protocol):
    def find(self, query: str = "") -> list[Thread]:
        """Last used first; a query matches the title and the questions."""

    def get(self, thread_id: str) -> Thread:
        """Raises NotFoundError."""

    def create(self, title: str, base_id: str, workflow: str) -> Thread: ...

    def rename(self, thread_id: str, title: str) -> None: ...

    def allow_web(self, thread_id: str, allowed: bool) -> None:
        """Whether the conversation's questions are searched for on the web without asking. Raises NotFoundError."""

    def delete(self, thread_id: str) -> None: ...

    def history(self, thread_id: str, limit: int) -> list[Turn]:
        """The newest turns that finished, oldest first."""


class RunLog(Protocol):
    """Runs and their events; what a page shows of a run, live or later, comes from here."""

    def start(self, request: RunRequest, thread_id: str, engine: str) -> Run: ...

    def append(self, run_id: str, events: Sequence[Event]) -> int:
        """Stores events in order; returns the newest sequence number."""

    def events(self, run_id: str, after: int) -> list[tuple[int, Event]]: ...

    def finish(self, run: Run) -> None: ...

    def get(self, run_id: str) -> Run:
        """Raises NotFoundError."""

    def of_thread(self, thread_id: str) -> list[Run]: ...

    def recent(self, limit: int) -> list[Run]: ...

    def running(self) -> list[Run]: ...


@dataclass(frozen=True, slots=True)
class WebResult:
    title: str
    url: str
    text: str
    score: float | None


class WebSearch(Protocol):
    def search(self, query: str, limit: int) -> Iterable[WebResult]:
        """Raises ServiceError for every failure of the service."""
