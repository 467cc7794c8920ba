"""Searches the documents: precise first, then wider."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from core.nodes.retrieve import THRESHOLDS, retrieve
from core.state import Deps, State
from core.tools.outcome import ToolOutcome

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def retrieve_documents(state: State, runtime: Runtime[Deps]) -> ToolOutcome:
    update = retrieve(state, runtime)
    threshold = dict(update["note"].details).get("threshold", "")
    arguments = json.dumps({"query": state.query, "thresholds": THRESHOLDS}, ensure_ascii=False)
    said = f"{len(update['hits'])} passages at threshold {threshold} by {update['route']}"
    return ToolOutcome(arguments, said, update["hits"], update["rejected"], update["route"])
