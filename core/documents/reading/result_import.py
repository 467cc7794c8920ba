"""Imports MinerU results from files, a zip or a content list, without any service."""

from collections.abc import Sequence
from pathlib import Path

from core.documents.pipeline.background import run_apart
from core.documents.ports.parsing import Parsed, Progress
from core.documents.reading.blocks import clean_blocks
from core.documents.reading.content_list import ListedBlock, listed
from core.documents.reading.formats import RESULT_ZIP, RESULTS
from core.documents.reading.inspection import inspect_file
from core.documents.reading.result_zip import read_list, read_result
from core.models.meter import Cancel, stop_if_requested
from core.platform.errors import InputError

REVISION = 1
"""Increase when the same list yields different blocks."""
UNKNOWN_BLOCKS = "mineru.note.unknown_blocks"


class ResultImport:
    """DocumentParser for a zip with a content list and for `*_content_list.json`."""

    @property
    def name(self) -> str:
        return "mineru-result"

    @property
    def identity(self) -> str:
        return f"mineru-result {REVISION}"

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        del media_type  # a claim; the content decides

        def check() -> None:
            stop_if_requested(cancel)
            progress(0, 0)

        check()
        parsed = run_apart(lambda: _read(path, name), check)
        progress(parsed.pages, parsed.pages)
        return parsed


def _read(path: Path, name: str) -> Parsed:
    form = inspect_file(path, name)
    if form not in RESULTS:
        raise InputError("mineru.result.no_list", name=name)
    entries = read_result(path, name) if form is RESULT_ZIP else read_list(path, name)
    return parsed_list([listed(entries)], "MinerU (imported)", name)


def parsed_list(parts: Sequence[ListedBlock], parser: str, name: str) -> Parsed:
    """Merges the lists of a document's parts, in order. Raises InputError if none contains text."""
    blocks = clean_blocks(block for part in parts for block in part.blocks)
    if not any(block.text.strip() for block in blocks):
        raise InputError("mineru.result.empty", name=name)
    notes = (UNKNOWN_BLOCKS,) if any(part.unknown for part in parts) else ()
    return Parsed(blocks, max(part.pages for part in parts), parser, notes=notes)
