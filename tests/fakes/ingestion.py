"""The pipeline on fakes over a real database, and a durable engine that runs nothing."""

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Literal

from core.documents.estimating.forecast import Forecaster
from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Document, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.parse_cache import ParseCache
from core.documents.pipeline.stages.job import StageDeps
from core.documents.ports.extraction import DocumentExtractor
from core.documents.ports.ingestion import StageRunner
from core.documents.ports.library import Library
from core.documents.ports.parsing import DocumentParser
from core.documents.store.library import sql_library
from core.models.ports import Llm
from core.platform.sql.engine import open_engine
from core.platform.sql.migrate import migrate
from core.search.ports import IndexEntry
from tests.fakes.extraction import FakeExtractor, fake_link
from tests.fakes.indexes import FakeChunkIndex, FakeLexicalIndex
from tests.fakes.parsing import FakeParser, fake_measure


class FakeIndex(FakeLexicalIndex):
    """Calls `before` before every batch."""

    def __init__(self, before: Callable[[], object] = lambda: None) -> None:
        super().__init__()
        self.before = before

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        self.before()
        super().upsert(base_id, level, entries)


class FakeIngestEngine:
    """IngestEngine that notes what is enqueued; the test says how runs stand."""

    def __init__(self) -> None:
        self.enqueued: list[str] = []
        self.stands: dict[str, Literal["none", "active", "ended", "broken"]] = {}
        self.at_work: list[str] = []
        self.taken_over: list[str] = []

    def start(self, runner: StageRunner) -> None:
        self.runner = runner

    def enqueue(self, *document_ids: str) -> None:
        self.enqueued += document_ids
        self.stands |= dict.fromkeys(document_ids, "active")

    def ended(self) -> list[str]:
        return [document_id for document_id, stands in self.stands.items() if stands == "ended"]

    def executors(self) -> list[str]:
        return self.at_work

    def take_over(self, executors: Collection[str]) -> None:
        self.taken_over = [*executors]

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        return self.stands.get(document_id, "none")


def open_library(data: Path) -> Library:
    data.mkdir(parents=True, exist_ok=True)
    engine = open_engine(f"sqlite:///{data / 'graphtalk.sqlite'}")
    migrate(engine)
    return sql_library(engine)


@dataclass(frozen=True, slots=True)
class FakeEngines:
    """DocumentEngines that a test has chosen."""

    choose: Callable[[Document], DocumentParser]
    extracting: DocumentExtractor
    summing_up: Llm | None = None
    forecasts: Forecaster = field(
        default_factory=lambda: Forecaster(fake_measure, "built-in", by_model=False, most_tokens=0)
    )
    elsewhere: Callable[[Document, Stage], bool] = lambda document, stage: False

    def parser(self, document: Document) -> DocumentParser:
        return self.choose(document)

    def extractor(self) -> DocumentExtractor:
        return self.extracting

    def summary_model(self) -> Llm | None:
        return self.summing_up

    def forecaster(self) -> Forecaster:
        return self.forecasts

    def waits_elsewhere(self, document: Document, stage: Stage) -> bool:
        return self.elsewhere(document, stage)


@dataclass(frozen=True, slots=True)
class StoredDeps(StageDeps):
    """With all of the stores, for the test to look into."""

    engines: FakeEngines
    library: Library = field(kw_only=True)

    def with_engines(self, **changes: Any) -> "StoredDeps":
        """Fields of FakeEngines."""
        return replace(self, engines=replace(self.engines, **changes))


def tools_of(
    data: Path, parser: FakeParser | None = None, extractor: FakeExtractor | None = None, index: FakeIndex | None = None
) -> StoredDeps:
    library, chosen = open_library(data), parser or FakeParser()
    return StoredDeps(
        library.bases,
        library.documents,
        library.publications,
        library.ingest_records,
        FileStore(data / "files"),
        FakeEngines(lambda document: chosen, extractor or FakeExtractor()),
        ParseCache(data / "cache" / "parsed"),
        FakeChunkIndex(),
        index or FakeIndex(),
        fake_link,
        library=library,
    )


def run_all(runner: StageRunner, document_id: str) -> list[Stage]:
    """As the engine does without any crash; the stages that were done."""
    done = []
    for stage in Stage:
        if not runner.run(document_id, stage):
            break
        done.append(stage)
    return done


def is_in_stage(work: WorkFolder, stage: Stage) -> bool:
    """Whether an ingestion process has noted that it began this stage of the document, and not that it ended it."""
    for note in work.folder.parent.glob("*.stage"):
        with suppress(FileNotFoundError):
            noted, *documents = note.read_text().split()
            if noted == stage and work.folder.name in documents:
                return True
    return False
