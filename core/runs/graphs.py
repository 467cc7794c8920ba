"""Compiled workflows of this process, with one file of checkpoints under them."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import TYPE_CHECKING

from core.runs.checkpoints import open_checkpoints
from core.workflows.registry import workflow_named, workflows
from core.workflows.workflow import compile_workflow

if TYPE_CHECKING:
    from langgraph.checkpoint.sqlite import SqliteSaver

    from core.workflows.workflow import Compiled


class Graphs:
    """Opened at the first use: LangGraph takes a second to import. close() when done."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        self._checkpoints: SqliteSaver | None = None
        self._compiled: dict[str, Compiled] = {}

    def graph(self, name: str) -> Compiled:
        with self._lock:
            if self._checkpoints is None:
                self._checkpoints = open_checkpoints(self.path)
            if name not in self._compiled:
                self._compiled[name] = compile_workflow(workflow_named(name), self._checkpoints)
            return self._compiled[name]

    def settle(self, run_id: str) -> None:
        """A run is over and told in its log: nothing needs its checkpoints any more."""
        if self._checkpoints is not None:
            self._checkpoints.delete_thread(run_id)

    def load(self) -> None:
        """What the first question would wait for."""
        from core.language.detect import detect_language
        from core.nodes.rules.synonyms import other_words

        other_words("")
        detect_language("Which language is this sentence in? 這是什麼語言？ Quelle est cette langue?")
        for name in workflows():
            self.graph(name)

    def close(self) -> None:
        with self._lock:
            saver, self._checkpoints = self._checkpoints, None
            self._compiled.clear()
        if saver is not None:
            with saver.lock:  # a run that was left to itself may be writing; SQLite crashes when closed under it
                saver.conn.close()
