"""Parsers, and what they report to."""

from collections.abc import Callable
from pathlib import Path

from core.documents.estimating.text_size import Extent
from core.documents.model import Block
from core.documents.ports.parsing import Parsed, Progress
from core.models.meter import Cancel
from core.platform.errors import CancelledError


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

    def __init__(self, between: Callable[[], object] = lambda: None) -> None:
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


class NotingParser(FakeParser):
    """Notes the name of each file that it begins as a line of the log."""

    def __init__(self, log: Path, between: Callable[[], object] = lambda: None) -> None:
        super().__init__(between)
        self._log = log

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        with self._log.open("a") as log:
            log.write(f"{name}\n")
        return super().parse(path, name, media_type, cancel, progress)


def fake_measure(path: Path, name: str) -> Extent:
    """A page a paragraph."""
    del name
    text = path.read_text(encoding="utf-8")
    return Extent(text.count("\n\n") + 1, len(text))
