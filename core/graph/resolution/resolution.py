"""Replays the edits of a knowledge graph into a resolution; derives from its log the state at a time, and differences
between two times. Pure functions.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeVar

from core.graph.edits import EditKind, EventKind, GraphEdit, GraphEvent, LoggedEdit, Resolution
from core.graph.model import Entity, Relation

Value = TypeVar("Value")
NOTHING = Resolution()
STATED_WEIGHT = 1.0
_TURNS = {EventKind.UNDONE: False, EventKind.REDONE: True}


@dataclass
class _Replay:
    """Applies the edits in order; an edit that no longer applies is ignored."""

    parents: dict[str, str] = field(default_factory=dict)
    names: dict[str, str] = field(default_factory=dict)
    types: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, dict[str, None]] = field(default_factory=dict)
    deleted: set[str] = field(default_factory=set)
    stated: list[GraphEdit] = field(default_factory=list)
    """Statements and denials in their order; the last one is in force."""
    rejected: list[GraphEdit] = field(default_factory=list)
    apart: list[tuple[str, str]] = field(default_factory=list)
    known: dict[str, None] = field(default_factory=dict)

    def root(self, entity_id: str) -> str:
        while entity_id in self.parents:
            entity_id = self.parents[entity_id]
        return entity_id

    def merge(self, edit: GraphEdit) -> None:
        """Merging restores deleted entities, because it is meant to keep their mentions."""
        into, *others = (self.root(entity.id) for entity in edit.entities)
        for other in others:
            if (root := self.root(other)) != into:
                self.parents[root] = into
        self.deleted -= {into, *others}

    def split(self, edit: GraphEdit) -> None:
        """Splitting also records that the two are different."""
        part = edit.entities[0].id
        if whole := self.parents.pop(part, ""):
            self.apart.append((part, whole))

    def rename(self, edit: GraphEdit) -> None:
        self.names[self.root(edit.entities[0].id)] = edit.text

    def retype(self, edit: GraphEdit) -> None:
        for entity in edit.entities:
            self.types[self.root(entity.id)] = edit.text

    def delete(self, edit: GraphEdit) -> None:
        self.deleted |= {self.root(entity.id) for entity in edit.entities}

    def tell_apart(self, edit: GraphEdit) -> None:
        self.apart.append(_ids(edit))

    def alias(self, edit: GraphEdit) -> None:
        self.aliases.setdefault(edit.entities[0].id, {})[edit.text] = None


_REPLAYED: Mapping[EditKind, Callable[[_Replay, GraphEdit], object]] = {
    EditKind.MERGE: _Replay.merge,
    EditKind.SPLIT: _Replay.split,
    EditKind.RENAME: _Replay.rename,
    EditKind.RETYPE: _Replay.retype,
    EditKind.DELETE: _Replay.delete,
    EditKind.ALIAS: _Replay.alias,
    EditKind.STATE: lambda replay, edit: replay.stated.append(edit),
    EditKind.DENY: lambda replay, edit: replay.stated.append(edit),
    EditKind.REJECT: lambda replay, edit: replay.rejected.append(edit),
    EditKind.APART: _Replay.tell_apart,
}


def resolve(edits: Iterable[GraphEdit], existing: Collection[str]) -> Resolution:
    """edits: those in force, in the order of the log; existing: which of their entities documents still support.

    Where the entity that others were merged into is gone, the first of them that is left takes its place.
    """
    replay = _Replay()
    for edit in edits:
        replay.known |= dict.fromkeys(entity.id for entity in edit.entities)
        _REPLAYED[edit.kind](replay, edit)
    if not replay.known:
        return NOTHING
    groups = _groups(replay, existing)
    shown = {part: parts[0] for parts in groups.values() for part in parts}
    removed = {part for root, parts in groups.items() if root in replay.deleted for part in parts}
    kept = {root: parts for root, parts in groups.items() if root not in replay.deleted}
    ends = {part: shown[part] for part in shown if part not in removed}
    stated, denied = _stated(replay.stated, ends)
    return Resolution(
        into={part: parts[0] for parts in kept.values() for part in parts[1:]},
        names={parts[0]: replay.names[root] for root, parts in kept.items() if root in replay.names},
        types={parts[0]: replay.types[root] for root, parts in kept.items() if root in replay.types},
        aliases={parts[0]: found for root, parts in kept.items() if (found := _aliases(replay, root, parts))},
        removed=frozenset(removed),
        stated=stated,
        denied=denied,
        rejected=frozenset((edit.chunk_id, *pair) for edit in replay.rejected if (pair := _pair(_ids(edit), ends))),
        apart=frozenset(pair for two in replay.apart if (pair := _pair(two, ends))),
        parts={parts[0]: parts for parts in kept.values() if len(parts) > 1},
    )


def combined(found: Sequence[Resolution]) -> Resolution:
    """The resolution of several bases, which have no ids in common."""
    if len(found) < 2:
        return found[0] if found else NOTHING
    return Resolution(
        into=_united(each.into for each in found),
        names=_united(each.names for each in found),
        types=_united(each.types for each in found),
        aliases=_united(each.aliases for each in found),
        removed=frozenset().union(*(each.removed for each in found)),
        stated=tuple(relation for each in found for relation in each.stated),
        denied=frozenset().union(*(each.denied for each in found)),
        rejected=frozenset().union(*(each.rejected for each in found)),
        apart=frozenset().union(*(each.apart for each in found)),
        parts=_united(each.parts for each in found),
    )


def _united(found: Iterable[Mapping[str, Value]]) -> dict[str, Value]:
    return {name: value for each in found for name, value in each.items()}


def _groups(replay: _Replay, existing: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Entities that exist of each merged group, by the entity that the others were merged into, which is first."""
    found: dict[str, list[str]] = {}
    for entity_id in replay.known:
        found.setdefault(replay.root(entity_id), []).append(entity_id)
    groups = {}
    for root, members in found.items():
        if there := tuple(each for each in dict.fromkeys([root, *members]) if each in existing):
            groups[root] = there
    return groups


def _aliases(replay: _Replay, root: str, parts: tuple[str, ...]) -> tuple[str, ...]:
    """Aliases that were added, and names that were given to merged entities."""
    members = dict.fromkeys([root, *parts])
    given = [replay.names[each] for each in members if each in replay.names and each != root]
    return tuple(dict.fromkeys([*(name for each in members for name in replay.aliases.get(each, ())), *given]))


def _stated(
    edits: Iterable[GraphEdit], ends: Mapping[str, str]
) -> tuple[tuple[Relation, ...], frozenset[tuple[str, str, str]]]:
    """Statements and denials between two entities that are still shown and still distinct."""
    found: dict[tuple[str, str, str], Relation] = {}
    denied: set[tuple[str, str, str]] = set()
    for edit in edits:
        source, target = (ends.get(entity.id, "") for entity in edit.entities[:2])
        if not source or not target or source == target:
            continue
        key = (source, target, edit.text)
        if edit.kind is EditKind.DENY:
            found.pop(key, None)
            denied.add(key)
            continue
        denied.discard(key)
        known = found.get(key)
        pages = tuple(dict.fromkeys([*(known.pages if known else ()), *edit.pages]))
        found[key] = Relation(*key, STATED_WEIGHT, pages, by_hand=True)
    return tuple(found.values()), frozenset(denied)


def _ids(edit: GraphEdit) -> tuple[str, str]:
    one, other = edit.entities[:2]
    return one.id, other.id


def _pair(ids: tuple[str, str], ends: Mapping[str, str]) -> tuple[str, str] | None:
    one, other = sorted(ends.get(id, "") for id in ids)
    return (one, other) if one and one != other else None


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
