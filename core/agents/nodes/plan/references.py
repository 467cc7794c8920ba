"""What a question refers to: names in the knowledge graph, documents, and earlier turns of the conversation."""

from __future__ import annotations

from collections.abc import Sequence

from core.agents.nodes.runtime import MAX_NAMES, asked_once, understood_in
from core.agents.state import Deps, State
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import Entity
from core.models.ports import BUILT_IN
from core.rulebook.graph.masking import words_of_one
from core.rulebook.understanding.followups import readings
from core.rulebook.understanding.questions import WHOLE, asks_of_several, kind_of, works_named
from core.rulebook.understanding.routing import may_name_a_document, names_asked
from core.rulebook.understanding.topics import KnownNames
from core.runs.model import Turn

MAX_ENTITIES = 100
"""Entities found in a conversation: a long answer has many names, and those of persons are seldom the longest."""
MAX_DOCUMENTS = 200
"""Words are compared with the names of documents in knowledge bases of at most this size."""


def known_names(state: State, deps: Deps, turns: Sequence[Turn], question: str) -> KnownNames:
    """Names in the question and in the turns that it may refer to, the newest turn first."""
    said = "\n".join([question, *(turn.text for turn in reversed(turns))])
    found = entities_named(said, state, deps)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    return KnownNames(tuple(entity.name for entity in found[:MAX_NAMES]), people[:MAX_NAMES], deps.encoder)


def entities_named(text: str, state: State, deps: Deps) -> list[Entity]:
    """At most MAX_ENTITIES, the longest names first; one limit for all nodes, so one query a run."""
    return asked_once(deps, deps.graph.named_in, state.base_id, text, MAX_ENTITIES)


def referenced_documents(base_id: str, question: str, deps: Deps) -> tuple[str, ...]:
    """Ids of the documents that a question names or describes by a word of their names; empty for all documents."""
    if may_name_a_document(question) and (named := deps.documents.called(base_id, names_asked(question))):
        return named
    if kind_of(question) not in WHOLE or asks_of_several(question) or not (works := works_named(question)):
        return ()
    ready = deps.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MAX_DOCUMENTS + 1)
    told = {at for _, at in words_of_one(" ".join(works), [document.name for document in ready])}
    return (ready[told.pop()].id,) if len(told) == 1 and len(ready) <= MAX_DOCUMENTS else ()


def readings_of(state: State, deps: Deps) -> tuple[str, ...]:
    """Standalone questions to choose from; empty if the follow-up is clear, or a model resolves it."""
    if deps.llm.engine != BUILT_IN or not state.history or not understood_in(state, deps).is_question:
        return ()
    return readings(state.question, state.history, known_names(state, deps, state.history, state.question))
