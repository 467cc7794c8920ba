"""Documents as they are stored: knowledge bases, files, blocks, chunks, summaries, stage progress."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from urllib.parse import parse_qsl, urlencode

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 in thousandths of the page's width and height, origin top left (MinerU's convention)."""

CELL_BREAK = " | "
"""Between the cells of a table's row, in the text of blocks and chunks; a row is a line."""
TEXT_READER = "GraphTalk text"
"""The parser of what the app reads as plain text; other parsers go by their own name and version."""


_WITHOUT_PAGES = {
    *("csv", "doc", "docx", "epub", "htm", "html", "log", "markdown", "md", "mdown", "ods", "odt"),
    *("rst", "rtf", "shtml", "text", "tsv", "txt", "xhtml", "xls", "xlsx"),
}
"""Extensions of formats that are read as one piece, so that positions in them have no page."""


def page_number(document_name: str, page: int) -> int:
    """From 1, as readers count; 0 where the document has no page numbers that they see."""
    return 0 if document_name.rpartition(".")[2].casefold() in _WITHOUT_PAGES else page + 1


class Stage(StrEnum):
    """Pipeline stages in the order they run."""

    PARSE = "parse"
    ASSEMBLE = "assemble"
    CHUNK = "chunk"
    EXTRACT = "extract"
    LINK = "link"
    INDEX = "index"


class DocumentStatus(StrEnum):
    """Derived from data, never stored: ready if published, failed if an error is recorded, otherwise in progress.

    Paused: the estimate exceeds the limit in the settings, and the document waits for the user's approval.
    """

    QUEUED = "queued"
    RUNNING = "running"
    PAUSED = "paused"
    READY = "ready"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class KnowledgeBase:
    id: str
    name: str
    created_at: datetime
    index_version: int = 0
    """Incremented with every document published or deleted; memories record the version they were made under."""
    entity_types: tuple[str, ...] = ()
    """Classes requested from a model; empty means the standard ones."""
    owner_id: str = ""
    """The person it belongs to; empty without accounts."""


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of parser output, in reading order."""

    index: int
    page: int
    """0-based."""
    type: str
    """MinerU content_list type: text, table, list, image, equation, code, header, ..."""
    text: str
    level: int = 0
    """Heading level; 0 is body text."""
    box: Box | None = None
    html: str = ""
    """Table markup as parsed (untrusted)."""
    confidence: float | None = None
    """Mean confidence of OCR, 0 to 1; None where the text is the file's own."""


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of a chunk's text and the block that it comes from."""

    start: int
    end: int
    """Character offsets in the chunk's text, end exclusive."""
    block: int
    page: int
    box: Box | None


@dataclass(frozen=True, slots=True)
class Chunk:
    id: str
    document_id: str
    index: int
    text: str
    section: tuple[str, ...]
    """Heading path from the document's top, outermost first."""
    spans: tuple[Span, ...]
    enabled: bool = True
    """A disabled chunk is neither found nor quoted; its mentions stay in the graph."""
    original: str = ""
    """The text before the user edited it; empty if unedited."""

    @property
    def page(self) -> int:
        """0-based page on which the chunk starts."""
        return self.spans[0].page if self.spans else 0

    def boxes(self, start: int, end: int) -> tuple[tuple[int, Box], ...]:
        """(page, box) of every block under the characters start..end of the text, in order, no repeats."""
        found = ((s.page, s.box) for s in self.spans if s.box and s.start < end and s.end > start)
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True, slots=True)
class Summary:
    """Summary of a document (section empty) or of one of its sections; the first level of hierarchical search."""

    id: str
    document_id: str
    section: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class StageProgress:
    stage: Stage
    status: str
    """waiting, running, done, failed."""
    done: int = 0
    total: int = 0
    unit: str = ""
    """Unit of `done` and `total`: pages, blocks, chunks, entities."""
    seconds: float = 0.0
    note: str = ""


STAGE_SHARES = {
    Stage.PARSE: 0.7,
    Stage.ASSEMBLE: 0.02,
    Stage.CHUNK: 0.03,
    Stage.EXTRACT: 0.12,
    Stage.LINK: 0.02,
    Stage.INDEX: 0.11,
}
"""Approximate share of the total time per stage."""


def share_done(stages: Sequence[StageProgress]) -> float:
    """0..1 over all stages of one document."""
    total = 0.0
    for row in stages:
        within = 1.0 if row.status == "done" else min(row.done / row.total, 1.0) if row.total else 0.0
        total += STAGE_SHARES[row.stage] * within
    return min(total, 1.0)


@dataclass(frozen=True, slots=True)
class Effort:
    """Effort of reading a document: estimated before, or measured after."""

    pages: int = 0
    chunks: int = 0
    model_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    seconds: float = 0.0
    recognised: int = 0
    """Pages of which the picture is read (OCR); estimated by a sample."""
    agreed: bool = False
    """For estimates: the user approved it although it is above the limit."""

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens


@dataclass(frozen=True, slots=True)
class Document:
    id: str
    base_id: str
    name: str
    """As uploaded: untrusted text."""
    sha256: str
    size: int
    media_type: str
    added_at: datetime
    status: DocumentStatus
    parser: str = ""
    language: str = ""
    title: str = ""
    pages: int = 0
    chunks: int = 0
    entities: int = 0
    error_key: str = ""
    """Catalogue key of the failure, with its parameters; empty if none."""
    error_params: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    """Catalogue keys of notes for the reader, for example that a scan's text layer was used."""
    ready_at: datetime | None = None
    form: bool = False
    """Template that readers download and fill in."""
    replaces: str = ""
    """Id of the document to delete when this one is ready."""
    cancelled: bool = False
    """Whether its last run was cancelled; a document that was already ready stays ready."""
    paused: bool = False
    """Whether its last run awaits approval; a document that was already ready stays ready."""
    parser_choice: str = ""
    """The parser chosen for it; empty for the configured one."""
    estimate: Effort | None = None
    """Estimate before reading; None if never requested."""
    spent: Effort | None = None
    """Measured over all attempts; None before it is ready."""


ACTIVE = (DocumentStatus.QUEUED, DocumentStatus.RUNNING)
"""Statuses of documents that are being read or wait to be."""
SETTLED = tuple(status for status in DocumentStatus if status not in ACTIVE)


class DocumentOrder(StrEnum):
    """Orders of a list, with ties broken by id, so that its pages fit together."""

    OLDEST = "oldest"
    NEWEST = "newest"
    NAME = "name"
    LARGEST = "largest"
    STATUS = "status"
    """By what needs a person's attention, the newest first within each status."""


ATTENTION = (DocumentStatus.PAUSED, DocumentStatus.FAILED, DocumentStatus.CANCELLED, DocumentStatus.READY)
"""Settled statuses, the one that needs most attention first."""


@dataclass(frozen=True, slots=True)
class DocumentFilter:
    """A filter of a base's documents; an empty field does not narrow."""

    statuses: tuple[DocumentStatus, ...] = ()
    words: str = ""
    """Words that all occur in the name or the title, in any case."""
    name: str = ""
    """The whole name."""
    only_forms: bool = False


EVERY = DocumentFilter()


@dataclass(frozen=True, slots=True)
class DeletionPreview:
    """Effects of deleting a document: what goes with it, and what other documents still support."""

    chunks: int
    entities_removed: int
    entities_kept: int


def noted(key: str, **params: object) -> str:
    """A remark on a document as one string: a catalogue key, with its parameters where it has any."""
    return f"{key}?{urlencode(params)}" if params else key


def read_note(note: str) -> tuple[str, dict[str, str]]:
    """(key, parameters)."""
    key, _, query = note.partition("?")
    return key, dict(parse_qsl(query))
