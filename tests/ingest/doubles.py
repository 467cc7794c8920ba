"""Typed doubles of the ports that the pipeline stands on."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Literal

from core.adapters.sql.engine import open_engine
from core.adapters.sql.library import SqlLibrary
from core.adapters.sql.migrate import migrate
from core.domain.documents import Block, Chunk, Stage
from core.domain.ids import content_id, entity_id
from core.domain.knowledge import Entity, Found, Mention
from core.errors import CancelledError
from core.ingest.extent import Extent
from core.ingest.files import FileStore
from core.ingest.forecast import Forecaster
from core.ingest.parse_cache import ParseCache
from core.ingest.stages import Tools
from core.ports import Cancel, Extraction, ExtractionOrder, IndexEntry, Parsed, Progress, StageRunner
from tests.contracts.index_fakes import FakeChunkIndex, FakeLexicalIndex


class Never:
    """Cancel that is never requested."""

    def requested(self) -> bool:
        return False


class Always:
    def requested(self) -> bool:
        return True


def ignore(done: int, total: int) -> None:
    """Progress that nobody looks at."""


class FakeParser:
    """Paragraphs of a text file, a page each; calls `between` after every page."""

    def __init__(self, between: Callable[[], None] = lambda: None) -> None:
        self.between = between
        self.calls = 0

    @property
    def name(self) -> str:
        return "fake"

    @property
    def identity(self) -> str:
        return "fake 1"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        self.calls += 1
        paragraphs = path.read_text(encoding="utf-8").split("\n\n")
        blocks = []
        for page, text in enumerate(paragraphs):
            self.between()
            if cancel.requested():
                raise CancelledError("error.cancelled")
            progress(page + 1, len(paragraphs))
            blocks.append(Block(page, page, "text", text, 2 if text.istitle() else 0, (10, 20, 900, 200)))
        return Parsed(tuple(blocks), len(paragraphs), "fake 1")


class FakeExtractor:
    """Every capitalised word is a concept."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.calls = 0

    engine = "built-in"

    def extract_document(self, order: ExtractionOrder) -> Extraction:
        return Extraction(tuple(map(tuple, self.extract(order.texts, order.language))))

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]:
        self.calls += 1
        self.before()
        return [[Found(m, m + len(w), w, "CONCEPT", 1.0) for m, w in _capitalised(text)] for text in texts]


def _capitalised(text: str) -> list[tuple[int, str]]:
    found, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        if word[0].isupper():
            found.append((place, word.strip(".,")))
        place += len(word)
    return found


def fake_link(
    base_id: str, document_id: str, chunks: Sequence[Chunk], found: Sequence[Sequence[Found]]
) -> tuple[tuple[Entity, ...], tuple[Mention, ...]]:
    entities: dict[str, Entity] = {}
    mentions: list[Mention] = []
    for chunk, own in zip(chunks, found, strict=True):
        for one in own:
            id = entity_id(base_id, one.name, one.type)
            entities.setdefault(id, Entity(id, base_id, one.name, one.type))
            mention_id = content_id("mention", chunk.id, str(one.start), id)
            surface = chunk.text[one.start : one.end]
            mentions.append(
                Mention(mention_id, id, document_id, chunk.id, chunk.page, one.start, one.end, surface, one.confidence)
            )
    return tuple(entities.values()), tuple(mentions)


class FakeIndex(FakeChunkIndex):
    """Calls `before` before every batch."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        super().__init__()
        self.before = before

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        self.before()
        super().upsert(base_id, level, entries)


class FakeEngine:
    """IngestEngine that notes what is enqueued; the test says how runs stand."""

    def __init__(self) -> None:
        self.enqueued: list[str] = []
        self.stands: dict[str, Literal["none", "active", "ended", "broken"]] = {}

    def start(self, runner: StageRunner) -> None:
        self.runner = runner

    def enqueue(self, document_id: str) -> None:
        self.enqueued.append(document_id)
        self.stands[document_id] = "active"

    def standing(self, document_id: str) -> Literal["none", "active", "ended", "broken"]:
        return self.stands.get(document_id, "none")

    def stop(self) -> None:
        self.stands.clear()


def open_library(data: Path) -> SqlLibrary:
    data.mkdir(parents=True, exist_ok=True)
    engine = open_engine(f"sqlite:///{data / 'graphtalk.sqlite'}")
    migrate(engine)
    return SqlLibrary(engine)


def tools_of(
    data: Path, parser: FakeParser | None = None, extractor: FakeExtractor | None = None, index: FakeIndex | None = None
) -> Tools:
    chosen, extracting = parser or FakeParser(), extractor or FakeExtractor()
    return Tools(
        open_library(data),
        FileStore(data / "files"),
        lambda document: chosen,
        ParseCache(data / "cache" / "parsed"),
        lambda document: extracting,
        index or FakeIndex(),
        FakeLexicalIndex(),
        fake_link,
        lambda: Forecaster(fake_measure, "built-in", by_model=False, most_tokens=0),
    )


def fake_measure(path: Path, name: str) -> Extent:
    """A page a paragraph."""
    del name
    text = path.read_text(encoding="utf-8")
    return Extent(text.count("\n\n") + 1, len(text))


def run_all(runner: StageRunner, document_id: str) -> list[Stage]:
    """As the engine does without any crash; the stages that were done."""
    done = []
    for stage in Stage:
        if not runner.run(document_id, stage):
            break
        done.append(stage)
    return done
