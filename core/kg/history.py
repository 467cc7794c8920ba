"""What people did to a graph, or to one entity of it, told from the log. Pure functions."""

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from core.domain.graph_edits import EditKind, LoggedEdit

_GONE = (EditKind.DELETE, EditKind.MERGE)


@dataclass(frozen=True, slots=True)
class Edited:
    """What the edits in force that were made within a time did."""

    changed: tuple[LoggedEdit, ...]
    gone: tuple[str, ...]
    """Names of entities that were deleted or merged into others, as they were shown then."""


def edits_of(log: Iterable[LoggedEdit], entity_ids: Collection[str]) -> list[LoggedEdit]:
    """Edits in force that name one of the entities, newest first."""
    found = (each for each in log if not each.undone and any(it.id in entity_ids for it in each.edit.entities))
    return sorted(found, key=lambda each: -each.number)


def edited_between(log: Iterable[LoggedEdit], start: datetime, end: datetime) -> Edited:
    """start included, end excluded; newest first."""
    made = sorted((e for e in log if not e.undone and start <= e.made_at < end), key=lambda e: -e.number)
    gone = (
        entity.name
        for each in made
        if each.edit.kind in _GONE
        for entity in each.edit.entities[1 if each.edit.kind is EditKind.MERGE else 0 :]
    )
    return Edited(tuple(made), tuple(dict.fromkeys(gone)))
