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
    """What connects named things."""
    LIST = "list"
    """List of the names of a type."""
    BESIDE = "beside"
    """List of the names of a type that are mentioned together with a named thing."""
    OVERVIEW = "overview"
    """Description of the graph as a whole."""
    OTHER = "other"
    """Anything else."""


@dataclass(frozen=True, slots=True)
class GraphAsked:
    """What a question asks of the graph alone; empty for any other question."""

    entities: tuple[str, ...] = ()
    """Ids of the entities to connect, in the order of the question, or of the one that names are listed with."""
    names: tuple[str, ...] = ()
    """Two names to connect, at least one of which the graph does not know."""
    type: str = ""
    """The type whose entities are to be listed."""
    documents: tuple[str, ...] = ()
    """Ids of the documents whose names are to be listed, if the question gives a part of a document's name."""
    whole: bool = False
    """Whether the graph as a whole is to be described."""
    statement: bool = False
    """Whether the question asks for statements about the one entity."""
    apart: tuple[str, ...] = ()
    """Names of two entities that the graph does not connect."""

    @property
    def kind(self) -> GraphQuestion:
        if self.type:
            return GraphQuestion.BESIDE if self.entities else GraphQuestion.LIST
        if self.whole:
            return GraphQuestion.OVERVIEW
        return GraphQuestion.CONNECTION if self.entities or self.names else GraphQuestion.OTHER
