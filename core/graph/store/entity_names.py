"""Names and aliases: which document gave each, and which one an entity is displayed with."""

from collections.abc import Collection, Iterable, Mapping

from sqlalchemy import Connection, bindparam, func, select, update

from core.documents.store.rows import Row
from core.graph.model import Entity
from core.platform.sql.columns import name_key
from core.platform.sql.engine import batches
from core.platform.sql.schema import entities, entity_names


def rows(base_id: str, document_id: str, named: Iterable[Entity]) -> list[Row]:
    """Position 0 is the name; the others are aliases."""
    return [
        {
            "entity_id": entity.id,
            "position": position,
            "document_id": document_id,
            "base_id": base_id,
            "name": name,
            "norm": name_key(name),
        }
        for entity in named
        for position, name in enumerate(dict.fromkeys((entity.name, *entity.aliases)))
    ]


def given_by(connection: Connection, document_id: str) -> dict[str, str]:
    """The name the document gives each of its entities."""
    statement = select(entity_names.c.entity_id, entity_names.c.name).where(
        entity_names.c.document_id == document_id, entity_names.c.position == 0
    )
    return dict(connection.execute(statement).tuples().all())


def settle(connection: Connection, changed: Mapping[str, Collection[str]]) -> None:
    """Displays entities with the name that most documents give them, independent of the order of documents.

    `changed` are entities whose names documents add or drop, with those that they give them now. On a tie, the current
    name stays.
    """
    for batch in batches(list(changed)):
        shown = select(entities.c.id, entities.c.name).where(entities.c.id.in_(batch))
        current = dict(connection.execute(shown).tuples().all())
        unsettled = [id for id, name in current.items() if {*changed[id]} != {name}]
        if not unsettled:
            continue
        chosen = _most_given(connection, unsettled)
        moves = [{"entity": id, "shown": name} for id, name in chosen.items() if name != current[id]]
        if moves:
            statement = update(entities).where(entities.c.id == bindparam("entity")).values(name=bindparam("shown"))
            connection.execute(statement, moves)


def _most_given(connection: Connection, entity_ids: list[str]) -> dict[str, str]:
    counted = connection.execute(
        select(entity_names.c.entity_id, entity_names.c.name, func.count())
        .where(entity_names.c.entity_id.in_(entity_ids), entity_names.c.position == 0)
        .group_by(entity_names.c.entity_id, entity_names.c.name)
    )
    ranked = sorted((entity_id, -number, name) for entity_id, name, number in counted)
    return {entity_id: name for entity_id, _, name in reversed(ranked)}
