"""State of a graph at a time, and differences between two times, derived from its log. Pure functions."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from core.graph.edits import EventKind, GraphEvent, LoggedEdit
from core.graph.model import Entity

_TURNS = {EventKind.UNDONE: False, EventKind.REDONE: True}


@dataclass(frozen=True, slots=True)
class Difference:
    """Difference between the entities of two times."""

    new: tuple[Entity, ...]
    gone: tuple[Entity, ...]
    changed: tuple[tuple[Entity, Entity], ...]
    """(before, after): another name, type or aliases, or more or fewer mentions."""


def edits_of(log: Iterable[LoggedEdit], entity_ids: Collection[str]) -> list[LoggedEdit]:
    """Edits in force that name one of the entities, newest first."""
    found = (each for each in log if not each.undone and any(it.id in entity_ids for it in each.edit.entities))
    return sorted(found, key=lambda each: -each.number)


def in_force(log: Iterable[LoggedEdit], events: Iterable[GraphEvent], moment: datetime) -> set[int]:
    """Numbers of the edits that shaped the graph just before the moment.

    One that is undone without an event was undone before there were any, at a time that nobody knows: it is left out.
    """
    turns = [each for each in events if not each.of_document]
    came = {int(each.subject): each.at for each in turns if each.kind is EventKind.ADDED}
    state = _at_first(log, turns)
    found = {each.number for each in log if state[each.number] and came.get(each.number, each.made_at) < moment}
    for turn in turns:
        if turn.kind in _TURNS and turn.at < moment and came.get(int(turn.subject), turn.at) <= turn.at:
            (found.add if _TURNS[turn.kind] else found.discard)(int(turn.subject))
    return found


def _at_first(log: Iterable[LoggedEdit], turns: Sequence[GraphEvent]) -> dict[int, bool]:
    """Whether an edit was in force when it was made, by its number: the opposite of its first undo or redo."""
    state = {each.number: not each.undone for each in log}
    for turn in reversed(turns):
        if turn.kind in _TURNS:
            state[int(turn.subject)] = not _TURNS[turn.kind]
    return state


def way_back(
    log: Sequence[LoggedEdit], events: Iterable[GraphEvent], moment: datetime
) -> tuple[list[LoggedEdit], list[LoggedEdit]]:
    """(edits to undo, edits to redo) so that the same are in force as at the moment."""
    then = in_force(log, events, moment)
    undo = [each for each in log if not each.undone and each.number not in then]
    return undo, [each for each in log if each.undone and each.number in then]


def documents_at(events: Iterable[GraphEvent], moment: datetime) -> dict[str, str]:
    """Names of the documents that were part of the graph then, by id."""
    there: dict[str, str] = {}
    for each in events:
        if each.of_document and each.at < moment:
            there.pop(each.subject, None)
            if each.kind is EventKind.PUBLISHED:
                there[each.subject] = each.name
    return there


def difference(before: Iterable[Entity], after: Iterable[Entity]) -> Difference:
    """Difference in the order of the given entities; merged ones are gone, and their target has changed."""
    then = {entity.id: entity for entity in before}
    now = {entity.id: entity for entity in after}
    return Difference(
        tuple(entity for id, entity in now.items() if id not in then),
        tuple(entity for id, entity in then.items() if id not in now),
        tuple((then[id], entity) for id, entity in now.items() if id in then and then[id] != entity),
    )
