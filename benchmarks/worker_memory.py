"""`python -m benchmarks worker_memory`: what the ingestion process and its parsers hold over 200 uploads and a bomb.

The bomb is a PDF of a few kilobytes whose page inflates to hundreds of megabytes.
"""

import os
import subprocess
import threading
import time
import zlib
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.ingest import text_of
from benchmarks.output import say
from core.app.services import Services
from core.documents.model import DocumentFilter, DocumentStatus
from core.platform.settings.settings import load_settings

UPLOADS = 200
BOMB_BYTES = 800_000_000
SECONDS = 1_500.0
Row = tuple[int, int, float, str]
"""Process, the one above it, megabytes, command."""
_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED)


class Watch(threading.Thread):
    """The most megabytes that the ingestion process, and any one of the processes below it, held at once."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self.worker = self.child = self.now = 0.0
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.2):
            worker, children = _processes()
            self.now = worker
            self.worker, self.child = max(self.worker, worker), max([self.child, *children])


def main(data: Path) -> None:
    del data
    say("| | s | ready | ingestion process: most, at the end, MB | a parser: most, MB |\n|---|---|---|---|---|\n")
    with TemporaryDirectory() as folder, Services(load_settings(Path(folder))) as services:
        base = services.library.bases.create("Many")
        with services.ingestion.running():
            for name, files in (
                (f"{UPLOADS} uploads", {f"{n}.md": text_of(n, 20).encode() for n in range(UPLOADS)}),
                (f"a page of {BOMB_BYTES // 1_000_000} MB in {len(_bomb()) // 1_000} kB", {"bomb.pdf": _bomb()}),
            ):
                watch, began = Watch(), time.monotonic()
                watch.start()
                for file, content in files.items():
                    services.lifecycle.intake.add(base.id, file, content)
                until_ended(services, base.id)
                watch.stopped.set()
                found = services.library.documents.of_base(base.id)
                ready = [each for each in found if each.name in files and each.status is DocumentStatus.READY]
                others = {each.error_key for each in found if each.name in files} - {""}
                say(f"| {name} | {time.monotonic() - began:.0f} | {len(ready)} of {len(files)} {' '.join(others)} ")
                say(f"| {watch.worker:.0f}, {watch.now:.0f} | {watch.child:.0f} |\n")


def until_ended(services: Services, base_id: str) -> None:
    deadline = time.monotonic() + SECONDS
    while time.monotonic() < deadline:
        if all(each.status in _ENDED for each in services.library.documents.find(base_id, DocumentFilter())):
            return
        time.sleep(0.5)


def _processes() -> tuple[float, list[float]]:
    """Megabytes of our ingestion process and of those below it."""
    rows = listed()
    own = below(rows, os.getpid())
    worker = [row for row in rows if row[0] in own and "ingestion_process" in row[3]]
    under = set().union(*(below(rows, row[0]) for row in worker)) if worker else set()
    return sum(row[2] for row in worker), [row[2] for row in rows if row[0] in under]


def listed() -> list[Row]:
    told = subprocess.run(["ps", "-eo", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in told.splitlines()]
    return [(int(row[0]), int(row[1]), int(row[2]) / 1024, row[3]) for row in rows if len(row) == 4]


def below(rows: Sequence[Row], top: int) -> set[int]:
    found, new = set[int](), {top}
    while new:
        new = {pid for pid, above, _, _ in rows if above in new} - found
        found |= new
    return found


def _bomb() -> bytes:
    """One page whose content stream is compressed twice."""
    content = zlib.compress(zlib.compress(b"BT /F1 9 Tf (x) Tj ET\n" * (BOMB_BYTES // 22), 9), 9)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 300] /Contents 4 0 R "
        b"/Resources << /Font << /F1 5 0 R >> >> >>",
        b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    made, places = b"%PDF-1.7\n", []
    for number, each in enumerate(objects, 1):
        places.append(len(made))
        made += b"%d 0 obj\n%s\nendobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    tail = b"trailer << /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(made))
    return made + head + table + tail


if __name__ == "__main__":
    main(Path())
