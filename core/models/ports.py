"""Models and embedders: the one seam for each."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from core.agents.intents import Understanding
from core.graph.model import Entity
from core.models.agent_ports import Agent
from core.models.meter import Meter
from core.models.tasks import Output, Request, Task, TextTask

BUILT_IN = "built-in"
"""The engine of the rules."""


@dataclass(frozen=True, slots=True)
class Pause:
    """A pause after a failure of the endpoint, in which the rules answer at once."""

    reason: str
    """Catalogue key."""
    seconds: float
    """Seconds until the endpoint is called again."""


@dataclass(frozen=True, slots=True)
class Pace:
    """Speed of a model that reads documents, and the size of its calls."""

    first_seconds: float = 1.5
    """Time until an answer begins, without that of reading the prompt."""
    read_speed: float = math.inf
    """Tokens a second, like the next one."""
    write_speed: float = 50.0
    in_flight: int = 8
    """Calls at a time."""
    unit_tokens: int = 4_000
    """Tokens of source in one call: instructions are a small part of it, and answers stay within usual limits."""
    most_units: int | None = None
    """Most calls of a small model for one document, for relations between names that the rules found; the passages with
    most names come first. None for a model that reads all of it and finds the names itself.
    """
    sections_per_call: int = 8
    """Sections summarised in one call."""


OF_A_SERVICE = Pace()


class Llm(Protocol):
    """The one seam for models. The offline adapter runs the tasks' rules; the chat adapter fills prompts."""

    @property
    def engine(self) -> str:
        """BUILT_IN, or the model's name."""

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        """The task's output; on a model failure the rule's, after meter.degraded()."""

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        """Pieces of text. A failure before the first piece falls back to the rule; one after it raises ServiceError,
        and what was yielded is kept as an interrupted answer."""

    def agent(self) -> Agent | None:
        """The model as one that calls tools itself; None for the rules, and for an endpoint that knows no tools."""

    def pause(self) -> Pause | None:
        """None while the model is asked."""

    def resume(self) -> None:
        """Asks the model again from the next call on."""


class Embedder(Protocol):
    @property
    def name(self) -> str:
        """Model and dimension, usable in a collection name; another name means another index."""

    @property
    def dimension(self) -> int: ...

    @property
    def semantic(self) -> bool:
        """Whether nearness means meaning; False when the vectors know no more than the words do."""

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Unit vectors, one a text, in order; their dot product is the similarity of two texts."""

    def embed_query(self, text: str) -> Sequence[float]: ...


class PassageEmbedder(Embedder, Protocol):
    def embed_parts(self, passages: Sequence[Sequence[str]]) -> Sequence[Any] | None:
        """Unit vectors of the parts of each passage, (parts, dimension), each part understood by the whole passage.

        None for an embedder that makes one vector of a text.
        """


class CrossEncoder(Protocol):
    """Reads a question together with each sentence, which tells more than the nearness of two vectors."""

    def scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> list[float]:
        """Log odds that each sentence answers the question; sentences: (what stands before it, or "", sentence)."""


@dataclass(frozen=True, slots=True)
class TaggedName:
    """A name in a text: its characters from start to end, exclusive."""

    start: int
    end: int
    kind: str
    """PERSON, ORGANIZATION, LOCATION, EVENT, PRODUCT, WORK or TERM."""
    confidence: float
    """Probability that it is a name."""
    kind_confidence: float
    """Probability of the kind."""


class EntityTagger(Protocol):
    def tag(self, texts: Sequence[str]) -> list[list[TaggedName]]:
        """Names of each text, in order, not overlapping."""


class IntentReader(Protocol):
    def of(self, message: str) -> Understanding:
        """A question for the documents, unless something else is certain."""


class GraphQuestionReader(Protocol):
    """Understands questions that certainly ask for what the graph answers, and for nothing else."""

    def asks_overview(self, question: str) -> bool:
        """Return whether the graph as a whole is asked for."""

    def connected(self, question: str, named: Sequence[Entity]) -> tuple[Entity, ...]:
        """Return the named entities whose connection is asked for; empty for another question."""

    def beside(self, question: str, named: Sequence[Entity], types: Sequence[str]) -> tuple[Entity, str] | None:
        """Return the one named entity and the type whose names are asked for that are mentioned with it."""

    def listed(self, question: str, types: Sequence[str], documents: Sequence[str] = ()) -> str:
        """Return the type whose names are asked for; documents: names that may stand in the question."""

    def names_a_type(self, question: str, types: Sequence[str]) -> bool:
        """Return whether the question has exactly one word for one of the types."""
