"""Questions that the knowledge graph answers by itself."""

from dataclasses import dataclass
from enum import StrEnum

TELLING = "tell_graph"
"""The node that answers them."""


class TellOutcome(StrEnum):
    TOLD = "told"
    SEARCH = "search"


class GraphQuestion(StrEnum):
    CONNECTION = "connection"
    """Of named things: what joins them."""
    LIST = "list"
    """Of the names of a type."""
    BESIDE = "beside"
    """Of the names of a type that are mentioned together with a named thing."""
    OVERVIEW = "overview"
    """Of the graph as a whole."""
    OTHER = "other"
    """More than that, or something else."""


@dataclass(frozen=True, slots=True)
class GraphAsked:
    """What a question asks of the graph, and nothing besides; empty for any other question."""

    entities: tuple[str, ...] = ()
    """Ids of those whose connection is asked for, in the order of the question; one if a type is listed beside it."""
    names: tuple[str, ...] = ()
    """Two names whose connection is asked for, of which the graph does not know both."""
    type: str = ""
    """The type whose entities are to be listed."""
    documents: tuple[str, ...] = ()
    """Ids of those whose names are to be listed, where the question tells one by a part of its name."""
    whole: bool = False
    """Whether the graph as a whole is to be described."""
    statement: bool = False
    """Whether statements about the one entity are asked for."""
    apart: tuple[str, ...] = ()
    """Names of two that the graph does not connect."""

    @property
    def kind(self) -> GraphQuestion:
        if self.type:
            return GraphQuestion.BESIDE if self.entities else GraphQuestion.LIST
        if self.whole:
            return GraphQuestion.OVERVIEW
        return GraphQuestion.CONNECTION if self.entities or self.names else GraphQuestion.OTHER
