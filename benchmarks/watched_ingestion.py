"""The ingestion process for `small_documents`: notes when work for the model waits, and when it has a slot.

`python -m benchmarks.watched_ingestion --data DIR` writes DIR/model_work.json as it ends.
"""

import json
import logging
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from threading import Lock
from time import monotonic
from typing import Any

from core.app.ingestion_process import main
from core.documents.extraction.shared_batches import JointCalls
from core.models.chat.slots import SlottedLlm
from core.models.meter import Meter

FILE = "model_work.json"


@dataclass(slots=True)
class ModelWork:
    """Seconds."""

    waiting: float = 0.0
    """In which at least one text or call waited."""
    held_meanwhile: float = 0.0
    """Of all slots, while something waited."""


class Watch:
    """Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._waiting = 0
        self._held = 0
        self._since = monotonic()
        self._work = ModelWork()

    def change(self, waiting: int = 0, held: int = 0) -> None:
        with self._lock:
            now = monotonic()
            if self._waiting:
                self._work.waiting += now - self._since
                self._work.held_meanwhile += (now - self._since) * self._held
            self._since = now
            self._waiting += waiting
            self._held += held

    def take(self) -> ModelWork:
        self.change()
        with self._lock:
            return self._work


def watch() -> Watch:
    """Every joint call and every slot of this process from now on."""
    seen, join, begin = Watch(), JointCalls._join, JointCalls._begin

    def watched_joining(self: JointCalls[Any], own: Sequence[Any]) -> None:
        seen.change(waiting=len(own))
        join(self, own)

    def watched_beginning(self: JointCalls[Any], call: Sequence[Any]) -> None:
        begin(self, call)
        seen.change(waiting=-len(call))

    def watched_ask(self: SlottedLlm, task: str, prompt: str, max_tokens: int, meter: Meter) -> str:
        seen.change(waiting=1)
        with self._free:
            seen.change(waiting=-1, held=1)
            try:
                return self._llm.answer_json(task, prompt, max_tokens, meter)
            finally:
                seen.change(held=-1)

    JointCalls._join = watched_joining  # type: ignore[method-assign]
    JointCalls._begin = watched_beginning  # type: ignore[method-assign]
    SlottedLlm.answer_json = watched_ask  # type: ignore[method-assign]
    return seen


def _run(arguments: Sequence[str]) -> int:
    seen = watch()
    status = main(arguments)
    folder = Path(arguments[arguments.index("--data") + 1])
    (folder / FILE).write_text(json.dumps(asdict(seen.take())), encoding="utf-8")
    return status


if __name__ == "__main__":
    ended = _run(sys.argv[1:])
    logging.shutdown()
    os._exit(ended)  # as the ingestion process does
