"""What a question names and the graph lacks, so that a comparison or a connection is not answered by one side alone."""

from __future__ import annotations

import json
from collections.abc import Iterator

from core.agents.state import Deps, State
from core.agents.tools.results.graph_answers import knows
from core.rulebook.messages import Question
from core.rulebook.model import QuestionKind

PAIRED = {QuestionKind.COMPARISON, QuestionKind.RELATION}
_NAMING = ("query", "entity_name")
"""Arguments of tools that are a name."""


def graph_gaps(state: State, deps: Deps) -> tuple[str, ...]:
    """Names for which neither a tool nor the graph has anything, each once; none where one thing is asked about."""
    if Question(state.resolved_question).kind not in PAIRED:
        return ()
    found = (name for name in _named(state) if name and not _is_there(name, state, deps))
    return tuple(dict.fromkeys(found))


def _named(state: State) -> Iterator[str]:
    yield from (name.rstrip(".,?!") for name in Question(state.resolved_question).names)
    for use in state.agent.calls:
        given = json.loads(use.arguments)
        yield from (str(given[key]) for key in _NAMING if given.get(key) and not knows(use))


def _is_there(name: str, state: State, deps: Deps) -> bool:
    graph, base_id = deps.graph, state.base_id
    return bool(graph.search(base_id, name, 1) or graph.named_in(base_id, name, 1) or graph.alike(base_id, name, 1))
