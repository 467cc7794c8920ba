"""Services in memory for the pages, with real behaviour as far as a page can see it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Any

from core.app.lazy import Configuration
from core.app.local_model import OnThisMachine
from core.documents.estimating.forecast import Forecaster
from core.documents.estimating.text_size import Extent
from core.documents.lifecycle.file_store import FileStore
from core.documents.lifecycle.pending_uploads import PendingUploads
from core.documents.lifecycle.uploads import Uploads
from core.documents.model import Box, Document, DocumentStatus, KnowledgeBase
from core.documents.pipeline.work_files import AnswerFiles
from core.graph.files.pyvis_view import PyvisDrawing
from core.graph.network.community_summary import CommunitySummaries
from core.memory.contradictions import StatementMeanings
from core.platform.errors import AppError, InputError, NotFoundError
from core.platform.settings.settings import Settings, load_settings
from core.search.ports import VectorProgress
from tests.fakes.graph import FakeCommunities, FakeGraph, FakeGraphEdits, FakePastGraphs, FakeWholeGraphs
from tests.fakes.library import FakeLibrary
from tests.fakes.memories import FakeMemories
from tests.fakes.models import FakeMeter, RuleLlm, meanings
from tests.fakes.runs import (
    FakeFeedback,
    FakePreferences,
    FakeQuestions,
    FakeRunLists,
    FakeRunLog,
    FakeThreads,
    FakeWorker,
)
from tests.pages.marlow import NOW, marlow_library, sample_graph


@dataclass
class FakeIntake:
    """Takes what is not empty and leaves it waiting, a failed document under its new name."""

    library: FakeLibrary

    def earlier(self, base_id: str, name: str, sha256: str) -> Document | None:
        found = [file for file in self.library.documents.of_base(base_id) if file.name == name]
        same = any(file.sha256 == sha256 for file in found)
        return found[-1] if found and not same else None

    def add(
        self, base_id: str, name: str, data: bytes | Path, replaces: str = "", parser: str = ""
    ) -> tuple[Document, bool]:
        data = data.read_bytes() if isinstance(data, Path) else data
        if not data:
            raise InputError("error.file_unreadable", name=name, reason="it is empty")
        facts = (sha256(data).hexdigest(), len(data), "application/pdf")
        made = self.library.documents.add(base_id, name, *facts, parser)
        if replaces:
            self.library.documents.mark_replacement(made[0].id, replaces)
        if made[0].status is DocumentStatus.FAILED:
            self.library.documents.rename(made[0].id, name, facts[2])
            self.retry(made[0].id)
        return self.library.documents.get(made[0].id), made[1]

    def require(self, base_id: str) -> None:
        """The only person of a single desk may change everything."""

    def known(self, base_id: str, sha256: str) -> Document | None:
        return self.library.documents.with_content(base_id, sha256)

    def cancel(self, document_id: str) -> None:
        self.library.ingest_records.cancel(document_id)

    def retry(self, document_id: str) -> None:
        self.library.ingest_records.restart(document_id)

    def parse_again(self, document_id: str, parser: str) -> None:
        self.library.documents.choose_parser(document_id, parser)
        self.library.ingest_records.restart(document_id)

    def resume(self, document_id: str) -> None:
        self.library.ingest_records.resume(document_id)


@dataclass
class FakeSupervisor:
    started: bool = False

    def start(self) -> None:
        self.started = True


@dataclass
class FakeUnlocking:
    """Opens encrypted documents with one password."""

    library: FakeLibrary
    password: str = "1234"
    heard: list[str] = field(default_factory=list)

    def waits(self, document: Document) -> bool:
        return document.error_key == "ingest.error.encrypted"

    def open_document(self, document_id: str, password: str) -> Document:
        self.heard.append(password)
        document = self.library.documents.get(document_id)
        if password != self.password:
            raise InputError("ingest.error.password", name=document.name)
        self.library.ingest_records.restart(document_id)
        return document


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

    def part(self, document_id: str, page: int, box: Box) -> bytes:
        return self.png(document_id, page, box[2] - box[0])

    def quoted(self, document_id: str, page: int, quote: str, within: Sequence[Box]) -> list[Box]:
        return list(within)


@dataclass
class FakeIngestion:
    """Every file has 24 pages of 80,000 characters in all."""

    settings: Callable[[], Settings]
    llm: RuleLlm
    supervisor: FakeSupervisor = field(default_factory=FakeSupervisor)
    reads_pictures: bool = True
    fault: AppError | None = None

    def start(self) -> None:
        self.supervisor.start()

    @property
    def engines(self) -> "FakeIngestion":
        return self

    def forecaster(self) -> Forecaster:
        settings = self.settings()
        by_model = settings.extraction == "model" and self.llm.engine != "built-in"
        extent = Extent(24, 80_000, 0.0)
        return Forecaster(lambda path, name: extent, "built-in", by_model, settings.ingest_max_tokens)


@dataclass
class FakeSearch:
    vectors: VectorProgress = field(default_factory=lambda: VectorProgress(0, 0))

    def follow_words(self) -> None:
        """There is one data folder."""

    def vector_progress(self, base_id: str) -> VectorProgress:
        return self.vectors


class FakeLifecycle:
    """Uploads are those of the product; what only the Documents page needs is set by its tests."""

    def __init__(self, library: FakeLibrary, ingestion: FakeIngestion, data: Path) -> None:
        self.library = library
        self.intake = FakeIntake(library)
        intake: Any = self.intake
        self.uploads = Uploads(intake, PendingUploads(data / "held"), library.ingest_records, ingestion.forecaster)
        self.page_images = FakePageImages()
        self.unlocking = FakeUnlocking(library)

    def load_sample(self) -> KnowledgeBase:
        return self.library.bases.create("Sample library")


@dataclass
class FakeAudit:
    """Audit; keeps what was done to what."""

    noted: list[tuple[str, str]] = field(default_factory=list)

    def note(self, action: str, target: str) -> None:
        self.noted.append((action, target))


@dataclass
class FakeRecords:
    feedback: FakeFeedback
    run_lists: FakeRunLists
    questions: FakeQuestions = field(default_factory=FakeQuestions)


@dataclass
class FakeAccess:
    preferences: FakePreferences = field(default_factory=FakePreferences)
    audit: FakeAudit = field(default_factory=FakeAudit)


@dataclass
class FakeStorage:
    files: FileStore
    records: FakeRecords
    access: FakeAccess = field(default_factory=FakeAccess)


@dataclass
class FakeAnswering:
    web_configured: bool = False
    langfuse_configured: bool = False
    community_summaries: Any = None

    def first_questions(self, base_id: str, interface: str) -> tuple[str, ...]:
        return (f"What is {base_id} in {interface}?",)

    def summary_meter(self) -> FakeMeter:
        return FakeMeter()


@dataclass
class FakeModels:
    here: OnThisMachine
    meanings: StatementMeanings = field(default_factory=meanings)
    encoder: None = None


@dataclass
class FakeServices:
    settings: Settings = field(default_factory=load_settings)
    library: FakeLibrary = field(default_factory=marlow_library)
    graph: FakeGraph = field(default_factory=sample_graph)
    graph_edits: FakeGraphEdits = field(default_factory=FakeGraphEdits)
    communities: FakeCommunities = field(default_factory=FakeCommunities)
    past_graphs: FakePastGraphs = field(default_factory=FakePastGraphs)
    memories: FakeMemories = field(default_factory=FakeMemories)
    threads: FakeThreads = field(default_factory=lambda: FakeThreads(now=NOW))
    runs: FakeRunLog = field(default_factory=lambda: FakeRunLog(now=NOW))
    llm: RuleLlm = field(default_factory=RuleLlm)
    drawing: PyvisDrawing = field(default_factory=PyvisDrawing)
    answering: FakeAnswering = field(default_factory=FakeAnswering)
    search: FakeSearch = field(default_factory=FakeSearch)
    closed: bool = False

    other_engines: tuple[str, ...] = ()

    @property
    def engines(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys((self.llm.engine, *self.other_engines, "built-in")))

    def model_pause(self) -> None:
        return None

    def __post_init__(self) -> None:
        self.models = FakeModels(OnThisMachine(Configuration(self.settings)))
        self.whole_graphs = FakeWholeGraphs(self.graph)
        self.threads.log, self.runs.threads = self.runs, self.threads
        self.worker = FakeWorker(self.threads, self.runs)
        feedback = FakeFeedback(self.runs)
        lists = FakeRunLists(self.runs, feedback)
        self.storage = FakeStorage(FileStore(self.settings.files), FakeRecords(feedback, lists))
        answers = AnswerFiles(self.settings.data / "cache" / "communities")
        self.answering.community_summaries = CommunitySummaries(self.llm, answers)
        self.ingestion = FakeIngestion(lambda: self.settings, self.llm)
        self.lifecycle: Any = FakeLifecycle(self.library, self.ingestion, self.settings.data)

    def warm(self) -> None:
        self.worker.warm()

    def tidy(self) -> None:
        self.tidied = True

    def close(self) -> None:
        self.closed = True
