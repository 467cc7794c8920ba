"""What a model that calls tools itself is given and what it says: tools by their schema, turns, a desk."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from core.domain.tool_use import ToolUse

if TYPE_CHECKING:
    from core.ports import Meter

Request = TypeVar("Request")


@dataclass(frozen=True, slots=True)
class AgentTask(Generic[Request]):
    """A text that a model writes after calls of tools; where no model can, a rule drives the same tools."""

    name: str
    """Also the prompt's file name under core/prompts."""
    request: type[Request]
    """Its fields fill the prompt."""


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments, which are an object."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """What a model said in one turn: tools that it wants called, or else its answer."""

    text: str
    wanted: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnOrder:
    """One turn of a model in a loop that is driven by others."""

    tools: Sequence[Tool]
    """None when the answer is due."""
    used: Sequence[ToolUse]
    """Of this question, with results, in order."""
    say: Callable[[str], None]
    """Hears the text piece by piece."""


class Desk(Protocol):
    """Where a loop of model and tools works: everything that happens is told here in order, one thing at a time."""

    @property
    def tools(self) -> Sequence[Tool]: ...

    @property
    def max_turns(self) -> int:
        """More turns of the model than these are a loop without end."""

    def begin_turn(self) -> bool:
        """A turn of the model begins; False when no further tool may be called, so that the answer is due."""

    def say(self, piece: str) -> None: ...

    def settle(self, turn: ModelTurn) -> ModelTurn:
        """A turn of the model is over; what is given back counts."""

    def call(self, use: ToolUse) -> str:
        """What the tool says; of an unknown tool or of arguments that do not fit, a text that says so."""


class Agent(Protocol):
    """A model that calls tools itself."""

    def walk(self, task: AgentTask[Request], request: Request, desk: Desk, meter: "Meter") -> str:
        """The answer, when the loop of model and tools has come to its end.

        Raises ServiceError (ToolsUnknownError when the endpoint knows no tools), BudgetError, CancelledError.
        """

    def turn(self, task: AgentTask[Request], request: Request, order: TurnOrder, meter: "Meter") -> ModelTurn:
        """One turn. Raises as walk() does."""
