"""Statements of the documents, and of people, that answer a question about a named thing."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass

from core.agents.state import Deps
from core.agents.tools.results.graph_answers import Numbered, bulleted, statement
from core.agents.tools.results.graph_cues import asks_around, listed_type
from core.graph.model import Entity, Relation, Saying
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.errors import NotFoundError
from core.platform.texts import text
from core.rulebook.graph_questions import asked_statement
from core.rulebook.quotes import readable
from core.search.model import Passage

MOST = 12
"""Most quoted statements."""
SHARED = 40
"""Passages that are looked through for one that a relation rests on."""
READ = 20_000
"""Most stated relations that are read."""


@dataclass(frozen=True, slots=True)
class Statements:
    """The statements about `entity`, the topic of the question; the answer is empty if there are none."""

    entity: Entity
    answer: str = ""
    entities: tuple[Entity, ...] = ()


def graph_statements(
    deps: Deps, base_id: str, question: str, language: str, named: Sequence[Entity], numbered: Numbered
) -> Statements | None:
    """None for other questions. named: entities in the question, the longest names first."""
    if asks_around(question):
        return None
    for entity in named:
        for start, end in entity.spans_in(question):
            if asked := asked_statement(question, start, end):
                said = [each for each in _of_entity(deps, base_id, entity) if asked.is_answered_by(each, entity.id)]
                return _found(deps, entity, said, listed_type(question, (), ()), language, numbered)
    return None


def _found(
    deps: Deps, entity: Entity, said: Sequence[Relation], type: str, language: str, numbered: Numbered
) -> Statements:
    """type: preferred type of the other ends; ignored if no statement has such an end."""
    others = _others(deps, entity, said)
    others = {id: other for id, other in others.items() if other.type == type} or others
    known = [each for each in said if _other(each, entity) in others]
    shown = sorted(known, key=lambda each: -each.weight)[:MOST]
    if not shown:
        return Statements(entity)
    quoted = [_line(deps, each, entity, others, language, numbered) for each in shown if not each.by_hand]
    by_hand = [_by_hand(deps, each, entity, others, language, numbered) for each in shown if each.by_hand]
    lead = [text("answer.graph.said", language), bulleted(quoted)] if quoted else []
    found = tuple(dict.fromkeys(others[_other(each, entity)] for each in shown))
    return Statements(entity, "\n\n".join([*lead, *by_hand]), (entity, *found))


def _of_entity(deps: Deps, base_id: str, entity: Entity) -> Iterator[Relation]:
    for number, relation in enumerate(deps.graph.stated_relations(base_id)):
        if number >= READ:
            return
        if relation.relation != CO_OCCURS and entity.id in (relation.source_id, relation.target_id):
            yield relation


def _other(relation: Relation, entity: Entity) -> str:
    return relation.target_id if relation.source_id == entity.id else relation.source_id


def _others(deps: Deps, entity: Entity, relations: Sequence[Relation]) -> dict[str, Entity]:
    """The other ends of the relations, without deleted entities."""
    found: dict[str, Entity] = {}
    for id in dict.fromkeys(_other(each, entity) for each in relations):
        with suppress(NotFoundError):
            found[id] = deps.graph.entity(id)
    return found


def _line(
    deps: Deps, relation: Relation, entity: Entity, others: dict[str, Entity], language: str, numbered: Numbered
) -> str:
    """The sentence that states the relation; the relation itself if it has no sentence."""
    other = others[_other(relation, entity)]
    if quoted := next(_quoted(deps, relation.sayings), None):
        return f"{readable(other.name)}: {numbered.quoted(*quoted)}"
    return statement(relation, {entity.id: entity.name, other.id: other.name}, language)


def _by_hand(
    deps: Deps, relation: Relation, entity: Entity, others: dict[str, Entity], language: str, numbered: Numbered
) -> str:
    """The relation, with a passage that mentions both on a page that it rests on."""
    other = others[_other(relation, entity)]
    passages = deps.passages.get(deps.graph.shared_chunks(entity.id, other.id, SHARED))
    there = [each for each in passages if (each.chunk.document_id, each.chunk.page) in relation.pages]
    words = statement(relation, {entity.id: entity.name, other.id: other.name}, language)
    return " ".join([words, *map(numbered.mark, there[:1])])


def _quoted(deps: Deps, sayings: Sequence[Saying]) -> Iterator[tuple[str, Passage]]:
    for saying in sayings:
        for passage in deps.passages.get([saying.chunk_id]):
            if passage.chunk.enabled and saying.end <= len(passage.chunk.text):
                yield passage.chunk.text[saying.start : saying.end], passage
