"""Passages found for a question, and the citations of an answer."""

from dataclasses import dataclass

from core.documents.model import Box, Chunk


@dataclass(frozen=True, slots=True)
class Hit:
    """A chunk found by an index, without text, so that the state stays small."""

    chunk_id: str
    score: float
    """0..1, comparable between questions: the estimated probability that the chunk is relevant."""
    sources: tuple[str, ...] = ()
    """Searches that found it: lexical, vector, graph, summary."""


@dataclass(frozen=True, slots=True)
class Passage:
    """A hit with its text, as read by nodes and people."""

    chunk: Chunk
    document_name: str
    score: float
    sources: tuple[str, ...] = ()
    url: str = ""
    """Address of a page on the web; empty for passages of documents."""
    parser: str = ""
    """What read the document."""


@dataclass(frozen=True, slots=True)
class Rejected:
    chunk_id: str
    score: float
    reason: str
    """Catalogue key."""


BY_READER = "run.rejected.by_reader"
"""Reason of a passage that the reader took out."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table with the names of its columns."""

    columns: tuple[str, ...]
    cells: tuple[str, ...]
    """As many as there are columns."""
    marked: int | None = None
    """Index of the cell that the answer states."""


@dataclass(frozen=True, slots=True)
class ShownPassage:
    """A passage as displayed; the citation of the same number has its place."""

    number: int
    section: tuple[str, ...]
    text: str
    marked: tuple[tuple[int, int], ...] = ()
    """Ranges of the text that are nearest to the question, in order and not overlapping."""
    folded: bool = False
    """Whether only its place is shown until the reader unfolds it."""


@dataclass(frozen=True, slots=True)
class Citation:
    """[number] in an answer, down to the boxes on the page."""

    number: int
    chunk_id: str
    document_id: str
    document_name: str
    page: int
    """0-based page of the first box."""
    boxes: tuple[tuple[int, Box], ...]
    """(page, box) pairs under the quoted text."""
    text: str
    """Quoted passage or sentence."""
    score: float
    url: str = ""
    """For web pages, which have no document, chunk or boxes."""
    row: TableRow | None = None
    """The quoted row, if the quote is one row of a table with named columns."""


@dataclass(frozen=True, slots=True)
class FoundPassage:
    """A passage beside an answer, with its place."""

    passage: ShownPassage
    citation: Citation
    """Of the same number."""
