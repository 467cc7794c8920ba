"""Compiled workflows of this process."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from core.workflows.registry import workflow_named, workflows
from core.workflows.workflow import compile_workflow

if TYPE_CHECKING:
    from core.workflows.workflow import Compiled


class Graphs:
    """Each workflow is compiled on first use, because LangGraph takes a second to import."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiled: dict[str, Compiled] = {}

    def graph(self, name: str) -> Compiled:
        with self._lock:
            if name not in self._compiled:
                self._compiled[name] = compile_workflow(workflow_named(name))
            return self._compiled[name]

    def load(self) -> None:
        """Prepares what the first question would otherwise wait for."""
        from core.builtin.quoting.synonyms import other_words
        from core.language.detect import detect_language

        other_words("")
        detect_language("Which language is this sentence in? 這是什麼語言？ Quelle est cette langue?")
        for name in workflows():
            self.graph(name)
