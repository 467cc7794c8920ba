"""Creates graph edits from user input, or says why they are impossible. Pure functions."""

from collections.abc import Collection, Sequence

from core.graph.edits import EditedEntity, EditKind, GraphEdit
from core.graph.linking.linking import MAX_RELATION
from core.graph.model import Entity, Relation
from core.graph.naming import LONGEST_CLASS, MAX_NAME, display_form, entity_classes
from core.platform.errors import InputError


def merge(into: Entity, others: Sequence[Entity]) -> GraphEdit:
    distinct = {entity.id: entity for entity in others if entity.id != into.id}
    if not distinct:
        raise InputError("kg.merge_needs_two")
    return GraphEdit(EditKind.MERGE, _edited(into, *distinct.values()))


def split(part: Entity) -> GraphEdit:
    return GraphEdit(EditKind.SPLIT, _edited(part))


def rename(entity: Entity, name: str) -> GraphEdit:
    return GraphEdit(EditKind.RENAME, _edited(entity), _name(name))


def retype(entities: Sequence[Entity], type: str, known: Collection[str] = ()) -> GraphEdit:
    """type: as users write it, or one of the known ones, which an imported graph may write otherwise."""
    found = (type,) if type in known else entity_classes(type)
    if len(found) != 1:
        raise InputError("kg.class_unusable", name=type[:LONGEST_CLASS], longest=LONGEST_CLASS)
    return GraphEdit(EditKind.RETYPE, _edited(*entities), found[0])


def delete(entities: Sequence[Entity]) -> GraphEdit:
    return GraphEdit(EditKind.DELETE, _edited(*entities))


def alias(entity: Entity, name: str) -> GraphEdit:
    return GraphEdit(EditKind.ALIAS, _edited(entity), _name(name))


def state(source: Entity, relation: str, target: Entity, pages: Sequence[tuple[str, int]] = ()) -> GraphEdit:
    """pages: (document id, 0-based page) that state it."""
    words = display_form(relation)[:MAX_RELATION]
    if not words:
        raise InputError("kg.name_empty")
    if source.id == target.id:
        raise InputError("kg.relation_to_itself", name=source.name)
    return GraphEdit(EditKind.STATE, _edited(source, target), words, pages=tuple(pages))


def deny(source: Entity, relation: str, target: Entity) -> GraphEdit:
    """relation: as the graph has it."""
    return GraphEdit(EditKind.DENY, _edited(source, target), relation)


def reword(relation: Relation, source: Entity, target: Entity, words: str) -> list[GraphEdit]:
    """Edits that replace its words; it keeps its pages."""
    said = state(source, words, target, relation.pages)
    return [] if said.text == relation.relation else [deny(source, relation.relation, target), said]


def reverse(relation: Relation, source: Entity, target: Entity) -> list[GraphEdit]:
    return [
        deny(source, relation.relation, target),
        state(target, relation.relation, source, relation.pages),
    ]


def reject(one: Entity, other: Entity, chunk_id: str) -> GraphEdit:
    return GraphEdit(EditKind.REJECT, _edited(one, other), chunk_id=chunk_id)


def apart(one: Entity, other: Entity) -> GraphEdit:
    return GraphEdit(EditKind.APART, _edited(one, other))


def _edited(*entities: Entity) -> tuple[EditedEntity, ...]:
    return tuple(EditedEntity(entity.id, entity.name, entity.type) for entity in entities)


def _name(text: str) -> str:
    if len(text) > MAX_NAME:
        raise InputError("kg.name_long", longest=MAX_NAME)
    name = display_form(text)
    if not name:
        raise InputError("kg.name_empty")
    return name
