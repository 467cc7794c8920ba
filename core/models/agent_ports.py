"""Models that call tools themselves: tasks, tools by their schema, turns, and the host of a loop."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

from core.models.meter import Meter
from core.runs.model import Turn


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call of an agent, and its result."""

    call_id: str
    tool: str
    arguments: str
    """JSON."""
    result: str = ""
    """Empty until the result is there."""


Request = TypeVar("Request")


@dataclass(frozen=True, slots=True)
class AgentTask(Generic[Request]):
    """A text that a model writes after calls of tools; where no model can, a rule drives the same tools."""

    name: str
    """Also the prompt's file name under core/models/prompts."""
    request: type[Request]
    """Its fields fill the prompt."""
    max_tokens: int
    """Limit of the model's answer in each turn; what it thinks before comes on top."""


@dataclass(frozen=True, slots=True)
class ToolSchema:
    """A tool as a model is shown it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    """JSON schema of the arguments, which are an object."""
    accepts: Callable[[Mapping[str, Any]], bool]
    """Whether arguments fit the schema."""


@dataclass(frozen=True, slots=True)
class ModelTurn:
    """A turn of a model: the tools that it wants to call, or else its answer."""

    text: str
    wanted: tuple[ToolUse, ...] = ()


@dataclass(frozen=True, slots=True)
class TurnRequest:
    """One turn of a model in a loop that is driven by others."""

    tools: Sequence[ToolSchema]
    """Tools that may be called; none when the answer is due."""
    history: Sequence[Turn]
    """The conversation before the question, oldest first."""
    used: Sequence[ToolUse]
    """Tool calls of this question with results, in order."""
    say: Callable[[str], None]
    """Called with every piece of the text."""


class AgentHost(Protocol):
    """Callbacks of a loop of model and tools, called in order and never concurrently."""

    @property
    def tools(self) -> Sequence[ToolSchema]: ...

    @property
    def history(self) -> Sequence[Turn]:
        """The conversation before the question, oldest first."""

    @property
    def max_turns(self) -> int:
        """More turns of the model than these are a loop without end."""

    def begin_turn(self) -> bool:
        """A turn of the model begins; False when no further tool may be called, so that the answer is due."""

    def say(self, piece: str) -> None: ...

    def on_turn_end(self, turn: ModelTurn) -> ModelTurn:
        """The turn to go on with: the model's own, or another in its place."""

    def call(self, use: ToolUse) -> str:
        """Result of the tool, or a text that says that it is unknown or its arguments do not fit."""


class Agent(Protocol):
    """A model that calls tools itself."""

    def run(self, task: AgentTask[Request], request: Request, host: AgentHost, meter: Meter) -> str:
        """The answer, when the loop of model and tools has come to its end.

        Raises ServiceError (ToolsUnknownError when the endpoint knows no tools), BudgetError, CancelledError.
        """

    def turn(self, task: AgentTask[Request], request: Request, order: TurnRequest, meter: Meter) -> ModelTurn:
        """One turn. Raises as run() does."""
