"""The knowledge graph and the edits of people."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from core.graph.edits import GraphEdit, GraphEvent, LoggedEdit, Resolution
from core.graph.model import (
    CommunitySentence,
    Entity,
    GraphStats,
    GraphView,
    Mention,
    MentionFilter,
    MentionView,
    Neighbour,
    Relation,
)

if TYPE_CHECKING:
    from core.documents.ports.library import Library
    from core.graph.model import WholeGraph


class KnowledgeGraph(Protocol):
    """Entities and relations of a knowledge base; always the current ones, with the edits of people applied."""

    def stats(self, base_id: str) -> GraphStats: ...

    def entity(self, entity_id: str) -> Entity:
        """Raises NotFoundError."""

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        """Case-insensitive substring on name and aliases; exact, then prefix, then substring, then by mentions.

        Chinese names whose pinyin begins with the query come last.
        """

    def alike(self, base_id: str, query: str, limit: int, any_script: bool = False) -> list[Entity]:
        """Entities whose names, in another script than the query or in any, mean about the same; nearest first."""

    def counterparts(self, base_id: str, least: float) -> list[tuple[Entity, Entity, float]]:
        """Pairs of names in two scripts that are nearest to each other in meaning, with a cosine of at least this."""

    def documents_of(self, entity_ids: Sequence[str]) -> dict[str, set[str]]:
        """By entity, the ids of the documents that mention it; unknown entities are left out."""

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        """Entities whose name or alias occurs in the text, longest names first."""

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]: ...

    def mentioned_in(self, base_id: str, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        """The same as of_chunks for chunks of one base, cached until its graph changes."""

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        """Ids of the entities named in the text, then of those that the chunks mention, chunk by chunk."""

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        """(chunk id, number of the entities mentioned), most first."""

    def shared_chunks(self, entity_id: str, other_id: str, limit: int, unused: bool = False) -> list[str]:
        """Ids of the chunks that mention both and were not rejected as evidence; those that mention them most first.

        unused: with those that are switched off, which connect them all the same.
        """

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        """(chunk, other chunk, number of chunks that mention it) for each entity that two chunks share, rarest first.

        Entities mentioned more than most_mentions times are left out: they join everything with everything.
        """

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        """Nearest hop first, strongest first, at most limit of each hop."""

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        """The neighbourhood of the entities; with none given, the most connected part."""

    def path(self, base_id: str, entity_ids: Sequence[str], strongest: bool) -> list[list[Entity]]:
        """Path between each two successive entities, both included; empty if there is none.

        The fewest relations, or the strongest ones.
        """

    def mentioned(self, base_id: str, where: MentionFilter) -> set[str]:
        """Ids of the entities with such a mention."""

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]: ...

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]: ...

    def stated_relations(self, base_id: str) -> Iterator[Relation]:
        """Relations that a text, a person or an imported graph states, co-occurrence in imported graphs included."""

    def file_order(self, base_id: str) -> Mapping[str, int]:
        """Entities of imported graphs with their places in the files, in this order; empty where there is none."""

    def every(self, base_id: str) -> list[Entity]:
        """All entities, most mentioned first."""

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        """Entities with their mentions, for export."""


class WholeGraphs(Protocol):
    """All entities of a base in one drawing, the same until the graph changes; then they stay where they were."""

    def whole(self, base_id: str) -> WholeGraph:
        """Empty for a base that does not exist; a rough one is being laid out in the background."""

    def prepare(self, base_id: str) -> None:
        """Starts to make it in the background, unless it is cached."""


class Communities(Protocol):
    """Sentences of the documents about groups of entities."""

    def describe(self, base_id: str, members: Sequence[Entity]) -> tuple[CommunitySentence, ...]:
        """The most informative sentences about the most central members, which come first; empty if none names two."""


class GraphEdits(Protocol):
    """Edits of a graph: a log that is replayed over what the documents give."""

    def record(self, base_id: str, edits: Sequence[GraphEdit]) -> int:
        """All of them as one batch, whose number is returned. Raises NotFoundError if the base is gone."""

    def add_log(self, base_id: str, logged: Sequence[LoggedEdit]) -> None:
        """Edits of another time or base, oldest first, with new numbers."""

    def log(self, base_id: str, limit: int) -> list[LoggedEdit]:
        """Newest first."""

    def events(self, base_id: str) -> list[GraphEvent]:
        """When documents came and went, and edits were undone, redone or brought in; oldest first."""

    def set_undone(self, base_id: str, numbers: Sequence[int], undone: bool) -> None:
        """Undoes edits, or puts them back in force; the others keep their state and order."""

    def next_undo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        """The newest batch in force."""

    def next_redo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        """The batch that was undone last; of those that came undone, the newest."""

    def parts(self, base_id: str, entity_id: str) -> list[Entity]:
        """Entities that were merged into this one, as the documents give them."""

    def resolution(self, base_id: str) -> Resolution:
        """Result of the edits in force."""


@dataclass(frozen=True, slots=True)
class PastGraph:
    """A graph as it was at a time; reading it changes nothing, and nothing changes it."""

    graph: KnowledgeGraph
    whole_graphs: WholeGraphs
    communities: Communities
    graph_edits: GraphEdits
    """The log up to that time."""
    library: Library
    missing: tuple[str, ...] = ()
    """Names of documents that were part of it and cannot be read any more."""


class PastGraphs(Protocol):
    def as_of(self, base_id: str, moment: datetime) -> PastGraph:
        """The graph of everything that was published and edited before the moment, with documents as they are read now.

        Raises NotFoundError if the base is gone, InputError if it is too large to be rebuilt.
        """
