"""Edits of a knowledge graph: the log, and the resolution that results from the edits in force."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from core.graph.model import Relation


class EditKind(StrEnum):
    MERGE = "merge"
    """The first entity takes in the others."""
    SPLIT = "split"
    """The entity leaves the one that it was merged into."""
    RENAME = "rename"
    RETYPE = "retype"
    DELETE = "delete"
    ALIAS = "alias"
    STATE = "state"
    """The first entity has a relation to the second."""
    DENY = "deny"
    """The first entity has no such relation, whatever a text, a model or a file states."""
    REJECT = "reject"
    """A passage does not connect the two entities; what it alone states of them goes, too."""
    APART = "apart"
    """The two are different, however much alike their names."""


@dataclass(frozen=True, slots=True)
class EditedEntity:
    id: str
    name: str
    type: str
    """Name and type that were shown when the edit was made."""
    found_name: str = ""
    found_type: str = ""
    """Name and type that the documents give, by which the entity is found again when its id has changed."""


@dataclass(frozen=True, slots=True)
class GraphEdit:
    kind: EditKind
    entities: tuple[EditedEntity, ...]
    text: str = ""
    """The new name, type or alias, or the verb phrase of a relation that is stated or denied."""
    chunk_id: str = ""
    """The passage that is rejected."""
    pages: tuple[tuple[str, int], ...] = ()
    """(document id, 0-based page) of what a stated relation rests on."""


@dataclass(frozen=True, slots=True)
class LoggedEdit:
    number: int
    batch: int
    """Number of the first edit that was made at the same moment."""
    made_at: datetime
    edit: GraphEdit
    undone: bool = False
    actor: str = ""
    """Name of the person who made it; empty if there is only one."""


class EventKind(StrEnum):
    PUBLISHED = "published"
    """A document became part of the graph, or was read again."""
    DELETED = "deleted"
    UNDONE = "undone"
    REDONE = "redone"
    ADDED = "added"
    """An edit came from a file, which says when it was made there."""


@dataclass(frozen=True, slots=True)
class GraphEvent:
    """What changed a graph, apart from the edits themselves."""

    kind: EventKind
    at: datetime
    subject: str
    """The id of a document or the number of an edit."""
    actor: str = ""
    name: str = ""
    """Name of the document at that time."""

    @property
    def of_document(self) -> bool:
        return self.kind in (EventKind.PUBLISHED, EventKind.DELETED)


@dataclass(frozen=True)
class Resolution:
    """Result of the edits in force. Ids are those of extracted entities; entities not listed are shown unchanged."""

    into: Mapping[str, str] = field(default_factory=dict)
    """Id of the entity that each merged one is part of, by its id."""
    names: Mapping[str, str] = field(default_factory=dict)
    types: Mapping[str, str] = field(default_factory=dict)
    aliases: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Additional names by the ids of entities that are shown."""
    removed: frozenset[str] = frozenset()
    """Entities that are not shown, with all that was merged into them."""
    stated: tuple[Relation, ...] = ()
    denied: frozenset[tuple[str, str, str]] = frozenset()
    """(source, target, relation) of statements that do not hold."""
    rejected: frozenset[tuple[str, str, str]] = frozenset()
    """(chunk, entity, other entity): passages that do not connect them; the entities in the order of their ids."""
    apart: frozenset[tuple[str, str]] = frozenset()
    """Pairs that are not to be suggested as duplicates, in the order of their ids."""
    parts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Ids of all that an entity consists of, itself first, by its id; only for those that others were merged into."""

    @property
    def changes_entities(self) -> bool:
        return bool(self.into or self.names or self.types or self.aliases or self.removed)

    @property
    def touched(self) -> frozenset[str]:
        """Entities that are not shown as the documents give them."""
        merged = {part for parts in self.parts.values() for part in parts}
        return frozenset({*merged, *self.names, *self.types, *self.aliases, *self.removed})

    def of(self, entity_id: str) -> str:
        """The id under which the entity is shown; empty if it is not."""
        return "" if entity_id in self.removed else self.into.get(entity_id, entity_id)

    def members(self, entity_id: str) -> tuple[str, ...]:
        """Ids of the entities that a shown one consists of, itself first."""
        return self.parts.get(entity_id, (entity_id,))
