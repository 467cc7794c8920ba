"""`python -m benchmarks app_memory`: the memory of the app as it runs, with a model, while it takes a document in.

With it the process that ingests, and the parsers that this one starts.
"""

import threading
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx2

from benchmarks.ingest import text_of
from benchmarks.memory import QUESTION
from benchmarks.model_process import answering
from benchmarks.output import say
from benchmarks.served_app import Served, serving
from benchmarks.worker_memory import below, listed, until_ended
from core.app.services import Services
from core.people.api_keys import KeyScope
from core.platform.settings.settings import Settings

PARAGRAPHS = 1_130
"""Of the document, which is 190 passages."""


def main(data: Path) -> None:
    del data
    say("| with a model | peak, MB |\n|---|---|\n| goal, of the app | 300 |\n")
    for name, most in _peaks():
        say(f"| {name} | {most:.0f} |\n")


class Watch(threading.Thread):
    """The most megabytes of the app, of what it starts, and of all of them at once."""

    def __init__(self, app: int) -> None:
        super().__init__(daemon=True)
        self.app = app
        self.most: dict[str, float] = {}
        self.stopped = threading.Event()

    def run(self) -> None:
        while not self.stopped.wait(0.1):
            rows = listed()
            children = below(rows, self.app)
            held = {"the app": sum(row[2] for row in rows if row[0] == self.app)}
            for id, _, megabytes, command in rows:
                if id in children:
                    name = "the ingestion process" if "ingestion_process" in command else "a parser, or another child"
                    held[name] = max(megabytes, held.get(name, 0.0))
            held["all of them at once"] = sum(row[2] for row in rows if row[0] in children | {self.app})
            self.most = {name: max(held.get(name, 0.0), self.most.get(name, 0.0)) for name in held | self.most}


def _peaks() -> Iterator[tuple[str, float]]:
    with TemporaryDirectory() as folder, answering("plain_model") as address:
        model = {"LLM_BASE_URL": address, "LLM_MODEL": "loopback-model", "LLM_API_KEY": "none", "EXTRACTION": "model"}
        place = {"data": Path(folder), "database_url": "", "chroma_url": ""}
        with serving(Path(folder), model) as app, Services(Settings().model_copy(update=place)) as services:
            watch = Watch(app.process)
            watch.start()
            base = services.library.bases.create("Memory")
            services.lifecycle.intake.add(base.id, "reports.md", text_of(2, PARAGRAPHS).encode())
            key = services.storage.access.api_keys.make("bench", KeyScope.ADMIN)[1]
            _ask(app, key, base.id)
            until_ended(services, base.id)
            chunks = sum(each.chunks for each in services.library.documents.of_base(base.id))
            _ask(app, key, base.id)
            watch.stopped.set()
            watch.join()
    yield f"{chunks} passages in and two questions answered: the app", watch.most.pop("the app")
    yield from watch.most.items()


def _ask(app: Served, key: str, base_id: str) -> None:
    asked = {"question": QUESTION, "base": base_id}
    answer = httpx2.post(
        f"{app.address}/api/v1/ask", json=asked, headers={"Authorization": f"Bearer {key}"}, timeout=120
    )
    answer.raise_for_status()


if __name__ == "__main__":
    main(Path())
