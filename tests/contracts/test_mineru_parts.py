"""The parts of a long document: side by side, in order, one progress, one failure that names its pages."""

import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from core.documents.model import Block
from core.documents.parsing.mineru.cloud import PARTS_AT_ONCE, read_parts
from core.documents.parsing.pdf.child_tasks import PdfPart
from core.documents.ports.parsing import Progress
from core.documents.reading.content_list import ListedBlock
from core.models.meter import Cancel
from core.platform.errors import CancelledError, InputError

PARTS = [PdfPart(Path(), 0, 200), PdfPart(Path(), 200, 200), PdfPart(Path(), 400, 5)]
LIMIT_SECONDS = 60.0


@dataclass
class Stop:
    wanted: bool = False

    def requested(self) -> bool:
        return self.wanted


def listed(text: str) -> ListedBlock:
    return ListedBlock((Block(0, 0, "text", text),), 1, 0)


def wait_for_stop(stop: Cancel) -> None:
    waiting = threading.Event()
    for _ in range(int(LIMIT_SECONDS / 0.01)):
        if stop.requested():
            raise CancelledError("error.cancelled")
        waiting.wait(0.01)
    raise AssertionError("no stop was heard")


def test_parts_are_read_at_the_same_time_and_keep_their_order() -> None:
    together = threading.Barrier(PARTS_AT_ONCE)
    seen: list[tuple[int, int]] = []

    def read(part: PdfPart, called: str, stop: Cancel, progress: Progress) -> ListedBlock:
        del stop
        together.wait(LIMIT_SECONDS)
        progress(part.pages, part.pages)
        return listed(called)

    found = read_parts(PARTS, "a.pdf", read, Stop(), lambda *so_far: seen.append(so_far))
    assert [each.blocks[0].text for each in found] == [
        "a.pdf (p. 1-200)",
        "a.pdf (p. 201-400)",
        "a.pdf (p. 401-405)",
    ]
    assert seen[-1] == (405, 405)
    assert seen == sorted(seen)


def test_a_part_that_fails_names_its_pages_and_ends_the_others() -> None:
    def read(part: PdfPart, called: str, stop: Cancel, progress: Progress) -> ListedBlock:
        del progress
        if part.first == 400:
            raise InputError("mineru.service.unreadable", name=called)
        wait_for_stop(stop)
        return listed(called)

    with pytest.raises(InputError, match=r"cannot open a\.pdf \(p\. 401-405\)"):
        read_parts(PARTS, "a.pdf", read, Stop(), lambda done, total: None)


def test_a_stop_ends_all_parts() -> None:
    stop = Stop()

    def read(part: PdfPart, called: str, shared: Cancel, progress: Progress) -> ListedBlock:
        del progress
        stop.wanted = stop.wanted or part.first == 200
        wait_for_stop(shared)
        return listed(called)

    with pytest.raises(CancelledError):
        read_parts(PARTS, "a.pdf", read, stop, lambda done, total: None)


def test_a_short_document_keeps_its_name() -> None:
    found = read_parts(PARTS[:1], "a.pdf", lambda part, called, *_: listed(called), Stop(), lambda done, total: None)
    assert found[0].blocks[0].text == "a.pdf"
