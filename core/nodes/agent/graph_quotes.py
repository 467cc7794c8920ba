"""Passages for who and what questions without a model: those that mention the question's entities."""

from __future__ import annotations

from core.builtin.graph.answers import knows
from core.builtin.graph.cues import asks_overview, listed_type
from core.builtin.intent.questions import Kind, kind_of
from core.builtin.quoting.answering import SURE
from core.domain.passages import Hit
from core.nodes.evidence import passages_of, view_of
from core.nodes.runtime import MAX_NAMES
from core.nodes.search.grade_evidence import sift
from core.state import Deps, State

MOST_PASSAGES = 12
LISTED = {Kind.RELATION, Kind.LIST, Kind.OVERVIEW, Kind.COMPARISON}
"""Kinds of questions that ask for entities, which the tools' results answer."""


def graph_quotes(state: State, deps: Deps) -> tuple[Hit, ...]:
    """Passages to quote from; empty if the tools found nothing or their lists answer better."""
    question = state.resolved_question
    if kind_of(question) in LISTED or not any(map(knows, state.agent.calls)):
        return ()
    named = deps.graph.named_in(state.base_id, question, MAX_NAMES)
    names = [entity.name for entity in named]
    if not named or asks_overview(question) or listed_type(question, names, ()):
        return ()
    found = deps.graph.chunks_of([entity.id for entity in named], MOST_PASSAGES)
    hits = [Hit(chunk_id, mentioned / len(named), ("graph",)) for chunk_id, mentioned in found]
    kept, _ = sift(question, passages_of(hits, deps), deps.readings)
    if not kept or view_of(question, kept, deps).probability < SURE:
        return ()
    return tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept)
