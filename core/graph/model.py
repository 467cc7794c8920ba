"""The knowledge graph: entities, their mentions, relations between them, and views of it."""

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from core.documents.model import Box

TECHNOLOGY, CONCEPT, PERSON, ORGANIZATION, LOCATION = "TECHNOLOGY", "CONCEPT", "PERSON", "ORGANIZATION", "LOCATION"
EVENT, CREATIVE_WORK = "EVENT", "CREATIVE_WORK"
ENTITY_TYPES = (TECHNOLOGY, CONCEPT, PERSON, ORGANIZATION, LOCATION, EVENT, CREATIVE_WORK)
Place = tuple[int, int, int]
"""(index of the text, start and end in it)."""


@dataclass(frozen=True, slots=True)
class ExtractedName:
    """An entity found by an extractor in a stretch of text, before linking."""

    start: int
    end: int
    """Character offsets in the given text, end exclusive: text[start:end] is the surface form."""
    name: str
    """Canonical form of the surface (an acronym keeps its own; white space folded)."""
    type: str
    confidence: float
    aliases: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundRelation:
    """A relation a text states between two entities found in it, before linking."""

    source: Place
    target: Place
    """Both are places of extracted entities."""
    relation: str
    """The verb phrase."""
    confidence: float
    sentence: Place | None = None
    """The sentence that states it; None if a model found it, which reads many sentences at once."""


@dataclass(frozen=True, slots=True)
class Entity:
    id: str
    base_id: str
    name: str
    type: str
    aliases: tuple[str, ...] = ()
    mentions: int = 0
    documents: int = 0

    def is_named_in(self, text: str) -> bool:
        """Return whether the text contains the name or an alias as whole words."""
        return next(self.spans_in(text), None) is not None

    def spans_in(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield (start, end) of the name and the aliases in the text, as whole words in any case."""
        for name in (self.name, *self.aliases):
            if name.strip():
                word = re.escape(name)
                whole = rf"(?<![a-z0-9]){word}(?![a-z0-9])" if name.isascii() else word
                yield from (match.span() for match in re.finditer(whole, text, re.IGNORECASE))


class Alignment(StrEnum):
    """How exactly an extractor found a name in its text; the words of the files kg_nodes.json."""

    EXACT = "match_exact"
    GREATER = "match_greater"
    LESSER = "match_lesser"
    FUZZY = "match_fuzzy"


@dataclass(frozen=True, slots=True)
class Origin:
    """The facts that a graph file gives of an entity imported from it."""

    id: str
    alignment: str
    """An Alignment; empty where the file had a number as its confidence."""
    char_start: int
    char_end: int
    """Offsets of the program that wrote the file, end exclusive."""
    page: int = -1
    """0-based page of the first occurrence; -1 where an earlier version did not note it."""
    place: int = 0
    """Number of the row in the file, from 0."""
    is_first: bool = True
    """Whether the mention is that first occurrence; the others come from edges."""


@dataclass(frozen=True, slots=True)
class Mention:
    id: str
    entity_id: str
    document_id: str
    chunk_id: str
    page: int
    """0-based."""
    start: int
    end: int
    """Offsets in the chunk's text."""
    surface: str
    confidence: float
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class CommunitySentence:
    """A sentence about several entities."""

    sentence: str
    chunk_id: str
    document_name: str
    page: int
    """0-based."""
    names: tuple[str, ...]
    """Names and aliases of the entities that it names."""


@dataclass(frozen=True, slots=True)
class MentionView:
    """A mention as shown in the side panel."""

    mention: Mention
    document_name: str
    sentence: str
    boxes: tuple[tuple[int, Box], ...]
    used: bool = True
    """Whether answers may use its passage."""


@dataclass(frozen=True, slots=True)
class MentionFilter:
    """Selection of mentions; the defaults select all."""

    document: str = ""
    """Document id."""
    first_page: int = 0
    last_page: int = -1
    """0-based, both included; -1 is the last page of the document."""
    confidence: float = 0.0
    """Least, 0..1."""
    since: datetime | None = None
    """Only entities that are new since then: no document that was ready before mentions them."""

    @property
    def narrows(self) -> bool:
        return self != MentionFilter()


@dataclass(frozen=True, slots=True)
class Saying:
    """A sentence that states a relation."""

    document_id: str
    chunk_id: str
    start: int
    end: int
    """Offsets in the chunk's text."""

    @property
    def span(self) -> tuple[int, int]:
        return self.start, self.end


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge of the graph. Co-occurrence is derived from mentions, or stated by an imported graph.

    Other relations were stated by a model, a person or an imported graph.
    """

    source_id: str
    target_id: str
    relation: str
    weight: float
    """Co-occurrence: sum over shared chunks of 1/(entities in the chunk - 1), a part of that where no sentence of the
    chunk names both; stated relations: confidence."""
    pages: tuple[tuple[str, int], ...] = ()
    """(document id, 0-based page) of every place that supports it."""
    sayings: tuple[Saying, ...] = ()
    """Sentences from which the rules took a stated relation; none of one that a model, a person or a file stated."""
    near: bool = True
    """Whether a sentence names both; always true of statements."""
    by_hand: bool = False
    """Whether a person states it, and no text, model or file."""


@dataclass(frozen=True, slots=True)
class CooccurrenceGroup:
    """Entities of which a graph file says that each two occur together on a page."""

    page: int
    """0-based."""
    entity_ids: tuple[str, ...]
    """Sorted; a single one occurs with no other."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    entity: Entity
    hop: int
    weight: float


@dataclass(frozen=True, slots=True)
class GraphView:
    """A part of the graph small enough to draw."""

    entities: tuple[Entity, ...]
    relations: tuple[Relation, ...]
    left_out: int = 0
    """Entities within reach that were left out because of the limit."""


@dataclass(frozen=True, slots=True)
class GraphStats:
    entities: int
    mentions: int
    relations: int
    documents: int
    types: tuple[tuple[str, int], ...]


@dataclass(frozen=True, eq=False)
class WholeGraph:
    """Arrays have one number an entity or a relation, in the order of the entities or of the relations."""

    version: str
    """Equal for equal graphs of a base."""
    entities: tuple[Entity, ...]
    """Most mentioned first."""
    x: "array[float]"
    y: "array[float]"
    links: "array[int]"
    """Number of related entities."""
    centrality: "array[float]"
    """PageRank over all relations, 1 for the most central entity."""
    sources: "array[int]"
    """Places of entities, of the relations that are strong for one of their ends, strongest first."""
    targets: "array[int]"
    weights: "array[float]"
    stated: "array[int]"
    """1 where the relation was stated, 0 where it was counted."""
    said: tuple[tuple[int, int, str], ...]
    """What is stated: places of the source and of the target, and the words."""
    relations: int
    """Pairs that are related, those that are not listed included."""
    rough: bool
    """Laid out in a few steps, to be seen at once; the places will change."""
