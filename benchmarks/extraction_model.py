"""A model for the benchmark in a process of its own: knows the labelled names, answers after a fixed latency."""

import json
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from core.app.bench.entities import type_of
from tests.loopback.answers import Reply
from tests.loopback.extraction import asked_text
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.server import Recorded, Wire


class Model:
    """Lists each name once that the labels have in the sentences it is shown, however their lines are broken."""

    def __init__(self, path: Path, latency_seconds: float) -> None:
        rows = map(json.loads, path.read_text(encoding="utf-8").splitlines())
        self.names = {row["text"]: row["entities"] for row in rows}
        self.latency_seconds = latency_seconds

    def __call__(self, request: Mapping[str, Any]) -> Reply:
        started = time.monotonic()
        answer = self._answer(asked_text(request))
        left = self.latency_seconds - (time.monotonic() - started)
        return Reply(answer, piece=max(1, len(answer)), pause_seconds=max(0.0, left))

    def _answer(self, text: str) -> str:
        found: dict[str, str] = {}
        shown = " ".join(text.split())
        for sentence in (known for known in self.names if known in shown):
            for each in self.names[sentence]:
                found.setdefault(sentence[each["start"] : each["end"]], type_of(each["type"]))
        return json.dumps({"extractions": [{kind: name} for name, kind in found.items()]}, ensure_ascii=False)


class Slots(OpenAiServer):
    """Also says, at /slots, how many seconds calls were in its hands, one by one and from the first to the last."""

    def __init__(self, model: Model) -> None:
        super().__init__(model)
        self._lock = threading.Lock()
        self._spans: list[tuple[float, float]] = []

    def answer(self, request: Recorded, wire: Wire) -> None:
        if request.path == "/v1/slots":
            spans, self._spans = self._spans, []
            whole = max((end for _, end in spans), default=0.0) - min((start for start, _ in spans), default=0.0)
            wire.send_json(200, {"busy": sum(end - start for start, end in spans), "whole": whole})
            return
        started = time.monotonic()
        super().answer(request, wire)
        with self._lock:
            self._spans.append((started, time.monotonic()))


def main() -> None:
    """Arguments: the file with the labels, and the latency in seconds. Prints its address."""
    server = Slots(Model(Path(sys.argv[1]), float(sys.argv[2])))
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
