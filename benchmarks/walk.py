"""The way of one question through `core`: how many of its files and functions take part, and how many calls there are.

Counted with the sentence encoder and with hashed vectors, on the sample base, after another question has warmed
everything up: in all threads, without lambdas and comprehensions; a generator counts once.
"""

import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from types import CodeType, FrameType

QUESTION = "When was the station founded?"
OTHER = "Who looks after the station?"
WORKFLOW = "adaptive"
CORE = str(Path(__file__).parents[1] / "core") + "/"
_LOGGED_SECONDS = 0.5
"""After the answer, while the last events are written."""


class Calls:
    """A profile function that counts while it is on."""

    def __init__(self) -> None:
        self.on = False
        self.counted: Counter[tuple[str, str]] = Counter()
        """By file and qualified name."""
        self._starts: dict[CodeType, int] = {}

    def __call__(self, frame: FrameType, event: str, _: object) -> None:
        code = frame.f_code
        if not self.on or event != "call" or not code.co_filename.startswith(CORE) or code.co_name.startswith("<"):
            return
        if self._starts.setdefault(code, frame.f_lasti) == frame.f_lasti:  # a resumed generator is further on
            self.counted[code.co_filename, code.co_qualname] += 1


def main(_data: Path) -> None:
    sys.stdout.write("| vectors | files | functions | calls |\n|---|---|---|---|\n")
    for vectors in ("sentence encoder", "hashed"):
        counted = [sys.executable, "-m", "benchmarks.walk", vectors]
        sys.stdout.write(subprocess.run(counted, check=True, capture_output=True, text=True).stdout)


def count(vectors: str) -> str:
    """A row of the table; in a process of its own, because threads keep the profile they were started with."""
    from core.app.services import Services
    from core.models.embedding.encoder import sentence_encoder
    from core.platform.settings.settings import load_settings
    from core.runs.model import RunRequest

    if vectors == "hashed":
        sentence_encoder.is_installed = lambda: False
    with TemporaryDirectory() as folder:
        data = Path(folder)
        base_id = _read_samples(data)
        calls = Calls()
        threading.setprofile(calls)
        with Services(load_settings(data)) as services:
            for question in (OTHER, QUESTION):
                calls.on = question == QUESTION
                run_id = services.worker.start(RunRequest(question, base_id, WORKFLOW))
                for _ in services.worker.follow(run_id):
                    pass
                time.sleep(_LOGGED_SECONDS)
        threading.setprofile(None)
    files = {file for file, _ in calls.counted}
    return f"| {vectors} | {len(files)} | {len(calls.counted)} | {calls.counted.total():,} |\n"


def _read_samples(data: Path) -> str:
    """Before anything is counted, with all vectors made, by the embedder of this process."""
    from core.app.services import Services
    from core.documents.model import DocumentStatus
    from core.documents.pipeline.vector_builder import VectorBuilder
    from core.platform.settings.settings import load_settings

    with Services(load_settings(data)) as services:
        base_id, library = services.lifecycle.load_sample().id, services.library
        with services.ingestion.running():
            while {document.status for document in library.documents.of_base(base_id)} != {DocumentStatus.READY}:
                time.sleep(0.2)
        builder = VectorBuilder(library.bases, library.documents, services.search.chunk_index)
        while builder.step():
            pass
        return base_id


if __name__ == "__main__":
    sys.stdout.write(count(sys.argv[1]))
