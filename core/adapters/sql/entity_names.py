"""Names and aliases: which document gave which, and which of them an entity is shown by."""

from collections.abc import Iterable, Mapping

from sqlalchemy import Connection, bindparam, func, select, update

from core.adapters.sql.batches import batches
from core.adapters.sql.norms import name_norm
from core.adapters.sql.rows import Row
from core.adapters.sql.schema import entities, entity_names
from core.domain.knowledge import Entity


def rows(base_id: str, document_id: str, named: Iterable[Entity]) -> list[Row]:
    """Position 0 is the name, then come the aliases."""
    return [
        {
            "entity_id": entity.id,
            "position": position,
            "document_id": document_id,
            "base_id": base_id,
            "name": name,
            "norm": name_norm(name),
        }
        for entity in named
        for position, name in enumerate(dict.fromkeys((entity.name, *entity.aliases)))
    ]


def given_by(connection: Connection, document_id: str) -> dict[str, str]:
    """The name that the document gives each of its entities."""
    statement = select(entity_names.c.entity_id, entity_names.c.name).where(
        entity_names.c.document_id == document_id, entity_names.c.position == 0
    )
    return dict(connection.execute(statement).tuples().all())


def settle(connection: Connection, changed: Mapping[str, str]) -> None:
    """Show entities by the name that most documents give them, whatever the order in which documents came.

    changed: entities whose name a document gives anew (or no longer: empty). One that is shown by it already stays.
    """
    for batch in batches(list(changed)):
        shown = select(entities.c.id, entities.c.name).where(entities.c.id.in_(batch))
        current = dict(connection.execute(shown).tuples().all())
        unsettled = [id for id, name in current.items() if name != changed[id]]
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
