"""What a question refers to: names in the knowledge graph, documents, and earlier turns of the conversation."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

from core.agents.nodes.memory.telling import names_told
from core.agents.nodes.runtime import MAX_NAMES, asked_once, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import Deps, Route, State, Update
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import Entity
from core.models.ports import BUILT_IN
from core.platform.language.terms import normal_form
from core.rulebook.messages import KnownNames, Question, readings
from core.runs.model import Turn

MAX_ENTITIES = 100
"""Entities found in a conversation: a long answer has many names, and those of persons are seldom the longest."""
MAX_DOCUMENTS = 200
"""Words are compared with the names of documents in knowledge bases of at most this size."""
_BESIDE_A_WORD = "?？!！.。,，:;\"'“”‘’()[]"


def known_names(state: State, deps: Deps, turns: Sequence[Turn], question: str) -> KnownNames:
    """Names in the question and in the turns that it may refer to, the newest turn first."""
    said = "\n".join([question, *(turn.text for turn in reversed(turns))])
    found = entities_named(said, state, deps)
    people = tuple(entity.name for entity in found if entity.type == "PERSON")
    names = KnownNames(tuple(entity.name for entity in found[:MAX_NAMES]), people[:MAX_NAMES], deps.encoder)
    return names_told(names, state, deps) if turns else names


def entities_named(text: str, state: State, deps: Deps) -> list[Entity]:
    """At most MAX_ENTITIES, the longest names first; one limit for all nodes, so one query a run."""
    return asked_once(deps, deps.graph.named_in, state.base_id, text, MAX_ENTITIES)


def referenced_documents(base_id: str, question: str, deps: Deps) -> tuple[str, ...]:
    """Ids of the documents that a question names or describes by a word of their names; empty for all documents."""
    asked = Question(question)
    if asked.may_name_a_document and (named := deps.documents.called(base_id, asked.possible_titles)):
        return named
    if not asked.kind.is_about_whole_documents or asked.asks_of_several or not (works := asked.works):
        return ()
    ready = deps.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MAX_DOCUMENTS + 1)
    told = {at for _, at in words_of_one(" ".join(works), [document.name for document in ready])}
    return (ready[told.pop()].id,) if len(told) == 1 and len(ready) <= MAX_DOCUMENTS else ()


def words_of_one(question: str, documents: Sequence[str]) -> list[tuple[str, int]]:
    """(word of the question, place of the document) for each word that stands in the name of one document alone."""
    names = [_pieces(PurePath(name).stem) for name in documents]
    found: list[tuple[str, int]] = []
    for word in normal_form(Question(question).plain).split():
        bare = word.strip(_BESIDE_A_WORD)
        bearers = [at for at, pieces in enumerate(names) if "".join(filter(str.isalnum, bare)).casefold() in pieces]
        if len(bearers) == 1:
            found.append((bare, bearers[0]))
    return found


def _pieces(name: str) -> frozenset[str]:
    spaced = "".join(sign if sign.isalnum() else " " for sign in normal_form(name))
    return frozenset(piece.casefold() for piece in spaced.split() if len(piece) > 1)


def choice_of_readings(state: State, deps: Deps) -> Update | None:
    """The plan of a direct answer that asks which reading is meant; None where nothing is to be asked."""
    choices = readings_of(state, deps)
    if not choices:
        return None
    return {
        "search": replace(state.search, route=Route.DIRECT),
        "draft": replace(state.draft, choices=choices),
        "note": noted(Route.DIRECT, "run.reason.asked_back"),
    }


def readings_of(state: State, deps: Deps) -> tuple[str, ...]:
    """Standalone questions to choose from; empty if the follow-up is clear, or a model resolves it."""
    if deps.llm.engine != BUILT_IN or not state.history or not understood_in(state, deps).is_question:
        return ()
    return readings(state.question, state.history, known_names(state, deps, state.history, state.question))
