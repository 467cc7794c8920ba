"""The composition root: the only file that knows every adapter. Each part is made when it is first used."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Generic, Self, TypeVar, overload

from core.domain.documents import Document, KnowledgeBase, Stage
from core.domain.events import BudgetSet, Event
from core.domain.runs import Run, RunRequest
from core.heap import share_heap
from core.ports import (
    BUILT_IN,
    ChunkIndex,
    DocumentExtractor,
    DocumentParser,
    Embedder,
    GraphDrawing,
    IngestEngine,
    KnowledgeGraph,
    LexicalIndex,
    Library,
    Llm,
    MemoryStore,
    Retriever,
    RunLog,
    Threads,
    WebSearch,
)
from core.preferences import preferences_stamp, write_preferences
from core.runs.budget import Budget, RunMeter
from core.settings import Settings, changed_settings, load_settings
from core.state import Deps

if TYPE_CHECKING:
    from sqlalchemy import Engine

    from core.adapters.langfuse_export import LangfuseExport
    from core.adapters.page_images import PageImages
    from core.ingest.base_removal import BaseRemoval
    from core.ingest.editing import ChunkEditor
    from core.ingest.files import FileStore
    from core.ingest.forecast import Forecaster
    from core.ingest.graph_import import GraphImport
    from core.ingest.held import HeldUploads
    from core.ingest.intake import Intake
    from core.ingest.removal import Removal
    from core.ingest.reparse import Reparse
    from core.ingest.spool import SpoolQueue
    from core.ingest.stages import Tools
    from core.ingest.supervisor import Supervisor
    from core.ingest.trash import Trash
    from core.runs.worker import RunControl, RunWorker

Part = TypeVar("Part")
INGEST_CONCURRENCY = 8
"""Documents under way; most of them wait for a service elsewhere, or for room on this machine."""


CONFIGURED = ("llm", "document_llm", "web", "extractor")
"""Parts that are made anew after a change of the settings."""


class part(Generic[Part]):  # used like property
    """A property that is computed once, also when two threads ask at the same time."""

    def __init__(self, make: Callable[["Services"], Part]) -> None:
        self.make = make
        self.name = make.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: "Services", kind: type) -> Part: ...
    def __get__(self, owner: "Services | None", kind: type) -> "Part | Self":
        if owner is None:
            return self
        if self.name in owner.parts:  # without the lock: a page must not wait while another part is being made
            return owner.parts[self.name]  # type: ignore[return-value]
        with owner.lock:
            if self.name not in owner.parts:
                owner.parts[self.name] = self.make(owner)
            return owner.parts[self.name]  # type: ignore[return-value]


class Services:
    """What the pages, the command line and the ingestion process stand on; close() when done."""

    def __init__(self, settings: Settings) -> None:
        share_heap()
        self.settings = settings
        self._stamp = preferences_stamp(settings.data)
        self.lock = threading.RLock()
        self.parts: dict[str, object] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def configure(self, changes: Mapping[str, str | None]) -> None:
        """Keeps the changes and works by them from the next question on. Raises ConfigurationError, keeping nothing."""
        data = self.settings.data
        changed_settings(data, changes)
        write_preferences(data, changes)
        self.refresh()

    def refresh(self) -> None:
        """Takes up what was changed in the data folder's settings, by this process or another one."""
        stamp = preferences_stamp(self.settings.data)
        if stamp == self._stamp:
            return
        with self.lock:
            self.settings = load_settings(self.settings.data)
            self._stamp = stamp
            for name in CONFIGURED:
                self.parts.pop(name, None)

    def try_model(self, changes: Mapping[str, str | None]) -> tuple[str, float]:
        """The engine that would answer after the changes, and the seconds of a call of one token. Raises AppError."""
        from core.adapters.choose_llm import tried

        return tried(changed_settings(self.settings.data, changes))

    def try_parser(self, name: str, changes: Mapping[str, str | None]) -> str:
        """What answers where the parser would be asked after the changes. Raises AppError."""
        from core.adapters.choose_parser import probe_parser

        return probe_parser(name, changed_settings(self.settings.data, changes), self.settings.data / "work")

    def try_web(self, changes: Mapping[str, str | None], query: str) -> int:
        """How many results the query, which leaves the machine, has after the changes. Raises AppError."""
        from core.adapters.tavily_search import TavilySearch

        settings = changed_settings(self.settings.data, changes)
        return len(TavilySearch(settings.tavily_api_key.get_secret_value(), settings.tavily_base_url).search(query, 3))

    def close(self) -> None:
        """Stop the threads and the ingestion process that were started here; nothing to do is fine."""
        with self.lock:
            made = set(self.parts)
        if "worker" in made:
            self.worker.close()
        if "langfuse" in made and self.langfuse:
            self.langfuse.close()
        if "supervisor" in made:
            self.supervisor.stop()
        if "page_images" in made:
            self.page_images.close()
        if "engine" in made:
            self.engine.dispose()

    @part
    def engine(self) -> "Engine":
        from core.adapters.sql.engine import open_engine
        from core.adapters.sql.migrate import migrate

        engine = open_engine(self.settings.sql_url)
        migrate(engine)
        return engine

    @part
    def library(self) -> Library:
        from core.adapters.sql.library import SqlLibrary

        return SqlLibrary(self.engine)

    @part
    def graph(self) -> KnowledgeGraph:
        from core.adapters.sql.graph import SqlGraph

        return SqlGraph(self.engine)

    @part
    def memories(self) -> MemoryStore:
        from core.adapters.sql.memories import SqlMemoryStore

        return SqlMemoryStore(self.engine, self.embedder)

    @part
    def threads(self) -> Threads:
        from core.adapters.sql.threads import SqlThreads

        return SqlThreads(self.engine)

    @part
    def runs(self) -> RunLog:
        from core.adapters.sql.run_log import SqlRunLog

        return SqlRunLog(self.engine)

    @part
    def embedder(self) -> Embedder:
        from core.adapters.choose_embedder import from_settings

        return from_settings(self.settings)

    @part
    def chunk_index(self) -> ChunkIndex:
        from core.adapters.chroma_index import ChromaIndex

        return ChromaIndex(self.settings.data / "chroma", self.embedder, self.settings.chroma_url)

    @part
    def lexical_index(self) -> LexicalIndex:
        from core.adapters.tantivy_index import TantivyIndex

        return TantivyIndex(self.settings.data / "lexical")

    @part
    def retriever(self) -> Retriever:
        from core.retrieval.retriever import HybridRetriever

        return HybridRetriever(self.library, self.chunk_index, self.lexical_index, self.graph, self.embedder.semantic)

    def parser_for(self, document: Document) -> DocumentParser:
        """The one chosen for the document, else that of the settings as they are now. Raises ConfigurationError."""
        from core.adapters.choose_parser import parser_for

        self.refresh()
        wanted = document.parser_choice or self.settings.parser
        return parser_for(document.media_type, wanted, self.settings, self.settings.data / "work")

    def waits_elsewhere(self, document: Document, stage: Stage) -> bool:
        """Whether the stage is mostly waiting for a MinerU service or for a model."""
        from core.adapters.choose_parser import reads_elsewhere

        self.refresh()
        parser = document.parser_choice or self.settings.parser
        by_model = stage is Stage.EXTRACT and self.extractor.engine != BUILT_IN
        return by_model or (stage is Stage.PARSE and reads_elsewhere(document.media_type, parser))

    @part
    def extractor(self) -> DocumentExtractor:
        from core.adapters.choose_extractor import from_settings

        return from_settings(self.settings, self.document_llm)

    def extractor_for(self, document: Document) -> DocumentExtractor:
        """By the settings as they are now."""
        del document
        self.refresh()
        return self.extractor

    def summary_model(self) -> Llm | None:
        """None where summaries are to be made of the text's own sentences."""
        self.refresh()
        return None if self.extractor.engine == BUILT_IN else self.document_llm

    @part
    def llm(self) -> Llm:
        from core.adapters.choose_llm import from_settings

        return from_settings(self.settings)

    @part
    def document_llm(self) -> Llm:
        """For the reading of documents: a bounded number of calls at a time, of all of them together."""
        from core.adapters.choose_extractor import document_llm

        return document_llm(self.settings, self.llm)

    @part
    def drawing(self) -> GraphDrawing:
        from core.adapters.pyvis_view import PyvisDrawing

        return PyvisDrawing()

    @part
    def files(self) -> "FileStore":
        from core.ingest.files import FileStore

        return FileStore(self.settings.files)

    @part
    def queue(self) -> "SpoolQueue":
        from core.ingest.spool import SpoolQueue

        return SpoolQueue(self.settings.data / "spool", self.library)

    @part
    def intake(self) -> "Intake":
        from core.ingest.intake import Intake

        return Intake(self.library, self.files, self.queue)

    @part
    def held(self) -> "HeldUploads":
        from core.ingest.held import HeldUploads

        return HeldUploads(self.settings.data / "held")

    @part
    def chunk_editor(self) -> "ChunkEditor":
        from core.adapters.builtin_extractor import BuiltinExtractor
        from core.ingest.editing import ChunkEditor

        return ChunkEditor(self.library, BuiltinExtractor(), (self.chunk_index, self.lexical_index))

    @part
    def graph_import(self) -> "GraphImport":
        from core.ingest.graph_import import GraphImport

        return GraphImport(self.library, (self.chunk_index, self.lexical_index))

    @part
    def reparse(self) -> "Reparse":
        from core.ingest.reparse import Reparse
        from core.ingest.trash import Trash

        versions = Trash(self.settings.data / "versions")
        return Reparse(self.library, (self.chunk_index, self.lexical_index), self.intake, versions)

    @part
    def removal(self) -> "Removal":
        from core.ingest.removal import Removal

        return Removal(self.library, (self.chunk_index, self.lexical_index), self.queue, self.files, self.trash)

    @part
    def base_removal(self) -> "BaseRemoval":
        from core.ingest.base_removal import BaseRemoval

        indexes = (self.chunk_index, self.lexical_index)
        return BaseRemoval(self.library, indexes, self.removal, self.settings.data / "trash")

    @part
    def trash(self) -> "Trash":
        from core.ingest.trash import Trash

        return Trash(self.settings.data / "trash")

    @part
    def page_images(self) -> "PageImages":
        from core.adapters.page_images import PageImages

        return PageImages(self.library, self.files, self.settings.data / "cache")

    def forecaster(self) -> "Forecaster":
        """By the settings as they are now."""
        from core.adapters.measured_file import measure_file
        from core.ingest.forecast import Forecaster

        self.refresh()
        settings = self.settings
        by_model = settings.extraction == "model" and self.llm.engine != BUILT_IN
        return Forecaster(measure_file, settings.parser, by_model, settings.ingest_max_tokens)

    @part
    def ingest_tools(self) -> "Tools":
        from core.ingest.parse_cache import ParseCache
        from core.ingest.stages import Tools
        from core.kg.linking import link

        return Tools(
            library=self.library,
            files=self.files,
            parser_for=self.parser_for,
            parses=ParseCache(self.settings.data / "cache" / "parsed"),
            extractor_for=self.extractor_for,
            chunk_index=self.chunk_index,
            lexical_index=self.lexical_index,
            link=link,
            forecaster=self.forecaster,
            replacing=self.removal.replacing,
            summary_model=self.summary_model,
            waits_elsewhere=self.waits_elsewhere,
        )

    @part
    def ingest_engine(self) -> IngestEngine:
        from core.adapters.dbos_engine import DbosEngine
        from core.ingest.dispatch import ATTEMPTS

        return DbosEngine(self.settings.queue_url, INGEST_CONCURRENCY, ATTEMPTS)

    @part
    def supervisor(self) -> "Supervisor":
        from core.ingest.supervisor import Supervisor

        return Supervisor(self.settings.data)

    @part
    def worker(self) -> "RunWorker":
        from core.runs.worker import RunWorker

        engine, data = (lambda: self.llm.engine), self.settings.data
        worker = RunWorker(self._run_deps, engine, self.runs, self.threads, data, self._observe)
        worker.recover()
        return worker

    @part
    def langfuse(self) -> "LangfuseExport | None":
        """None unless both of its keys are set."""
        if not self.langfuse_configured:
            return None
        from core.adapters.langfuse_export import LangfuseExport

        public, secret = self.settings.langfuse_public_key, self.settings.langfuse_secret_key.get_secret_value()
        return LangfuseExport(public.strip(), secret.strip(), self.settings.langfuse_base_url)

    @property
    def langfuse_configured(self) -> bool:
        settings = self.settings
        return bool(settings.langfuse_public_key.strip() and settings.langfuse_secret_key.get_secret_value().strip())

    @property
    def web_configured(self) -> bool:
        return bool(self.settings.tavily_api_key.get_secret_value().strip())

    @contextmanager
    def ingestion(self) -> Iterator[None]:
        """The ingestion process runs within; another one that works on the data folder already does as well."""
        self.supervisor.start()
        try:
            yield
        finally:
            self.supervisor.stop()

    def warm(self) -> None:
        """Loads what the first question would otherwise wait for: LangGraph in the background, the indexes here."""
        self.removal.expire()
        self.base_removal.expire()
        self.held.expire()
        self.worker.warm(self._load_client)
        for base in self.library.bases()[:1]:
            self.retriever.chunks(base.id, "GraphTalk 圖譜", 1)

    def _load_client(self) -> None:
        """What a model is spoken to with, where one is configured: two seconds, most of them for libraries."""
        from core.adapters.chat_llm import ChatLlm

        if isinstance(self.llm, ChatLlm):
            self.llm.warm()

    def load_sample(self) -> KnowledgeBase:
        from core.ingest.sample import load_sample

        return load_sample(self.library, self.intake)

    def remove_document(self, document_id: str) -> None:
        self.removal.document(document_id)
        self.reparse.keep_new(document_id)

    def remove_base(self, base_id: str) -> None:
        self.base_removal.remove(base_id)

    def rebuild_index(self, base_id: str) -> None:
        from core.retrieval.rebuild import rebuild

        rebuild(self.library, base_id, (self.chunk_index, self.lexical_index))

    @part
    def web(self) -> WebSearch | None:
        """None without a key: a question never goes to the service by accident."""
        from core.adapters.tavily_search import TavilySearch

        key = self.settings.tavily_api_key.get_secret_value()
        return TavilySearch(key, self.settings.tavily_base_url) if self.web_configured else None

    def _observe(self, run: Run, event: Event) -> None:
        if self.langfuse:
            self.langfuse.observe(run, event)

    def _web_of(
        self, request: RunRequest, emit: Callable[[Event], None], meter: RunMeter, control: "RunControl"
    ) -> WebSearch | None:
        """None where the question may not leave; one that asks first where the settings say so."""
        if not request.use_web or self.web is None:
            return None
        from core.adapters.tavily_search import outgoing_query
        from core.runs.consent import ConsentingWebSearch, agreed, asked, of_thread

        if request.web_agreed or not self.settings.web_ask_first:
            return ConsentingWebSearch(self.web, agreed, emit, outgoing_query)
        ask = partial(asked, answer=control.answer, emit=emit, meter=meter, cancel=control)
        decide = partial(of_thread, thread_id=request.thread_id, threads=self.threads, ask=ask)
        return ConsentingWebSearch(self.web, decide, emit, outgoing_query)

    def _run_deps(self, request: RunRequest, emit: Callable[[Event], None], control: "RunControl") -> Deps:
        self.refresh()
        limits = self.settings
        budget = Budget(limits.max_model_calls, limits.max_tokens, limits.max_seconds, limits.max_tool_calls)
        emit(BudgetSet(budget.max_calls, budget.max_tokens, budget.max_seconds, budget.max_tool_calls))
        meter = RunMeter(budget, emit, control)
        return Deps(
            llm=self.llm,
            retriever=self.retriever,
            library=self.library,
            graph=self.graph,
            memories=self.memories,
            meter=meter,
            emit=emit,
            web=self._web_of(request, emit, meter, control),
            max_corrections=limits.max_corrections,
            max_tool_rounds=limits.max_tool_rounds,
            sensitive_terms=self.settings.sensitive_terms,
        )
