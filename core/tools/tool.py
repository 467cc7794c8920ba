"""What an agent may call: a name, a description, arguments, the call itself, and when a rule would call it."""

import json
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.domain.passages import Hit, Rejected
from core.domain.tool_use import ToolUse
from core.ports.agents import ToolSchema
from core.ports.web import WebResult
from core.state import Deps, Route, State


class Toolset(StrEnum):
    """Which systems a tool is for."""

    GRAPH = "graph"
    """The graph agent."""
    SEARCH = "search"
    """The tool loop."""
    DOCUMENTS = "documents"
    """Plans that search the documents."""
    FORMS = "forms"
    """Plans that look for a form to download."""


class ToolArguments(BaseModel):
    """Arguments come from models: what they name beyond these is left out, a number may stand for a text."""

    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


class NoArguments(ToolArguments):
    pass


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    text: str
    """For the agent; its form is a contract."""
    hits: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    route: Route | None = None
    """How the documents were searched."""
    web: tuple[WebResult, ...] = ()
    best: float | None = None
    """0..1: the similarity of the best result of a search."""
    fault: str = ""
    """Why the web brought nothing: a catalogue key."""
    forms: tuple[str, ...] = ()
    """Ids of documents that can be downloaded."""
    entity_ids: tuple[str, ...] = ()
    """Entities of the graph that the text names."""


@dataclass(frozen=True, slots=True)
class Situation:
    """What a rule sees when it decides whether to call a tool."""

    question: str
    """With its references resolved."""
    query: str = ""
    """What is to be searched for, where that has been written already."""
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    types: tuple[str, ...] = ()
    """Entity types of the graph."""
    used: tuple[ToolUse, ...] = ()
    """Tools called for this question, with results."""
    enough: bool = False
    """A result is similar enough to answer from."""


Arguments = TypeVar("Arguments", bound=ToolArguments)


def _as_it_is(tool: "AnyTool", _state: State, _deps: Deps) -> "tuple[AnyTool, ...]":
    return (tool,)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Arguments]):
    name: str
    description: str
    """What a model is told of it."""
    toolset: Toolset
    order: int
    """Its place among the tools of a set."""
    arguments: type[Arguments]
    call: Callable[[Arguments, State, Deps], ToolOutcome]
    next: Callable[[Situation], Arguments | None]
    """The next step without a model: the arguments to call it with now, or None."""
    last_resort: bool = False
    """Without a model it is called only where no other tool of the set is."""
    for_session: Callable[["AnyTool", State, Deps], "tuple[AnyTool, ...]"] = _as_it_is
    """The tool as a session has it: none, one, or several under names of their own."""

    def __str__(self) -> str:
        """As a prompt lists it."""
        properties = self.schema().parameters["properties"]
        taken = "; ".join(f"{name}: {about.get('description', '')}" for name, about in properties.items())
        return f"{self.name}({taken}) - {self.description}"

    def schema(self) -> ToolSchema:
        """As a model that calls tools is shown it."""
        made = self.arguments.model_json_schema()
        properties = {
            name: {key: value for key, value in about.items() if key != "title"}
            for name, about in made.get("properties", {}).items()
        }
        required = list(made.get("required", ()))
        return ToolSchema(
            self.name, self.description, {"type": "object", "properties": properties, "required": required}
        )

    def run(self, arguments: str, state: State, deps: Deps) -> ToolOutcome:
        """arguments is JSON; where they do not fit, the outcome is a text that says so."""
        try:
            given = self.arguments.model_validate_json(arguments or "{}")
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(map(str, first["loc"]))
            return ToolOutcome(f"Error: the arguments of {self.name} do not fit: {place} {first['msg']}")
        return self.call(given, state, deps)


AnyTool = Tool[Any]


def as_json(arguments: ToolArguments) -> str:
    return json.dumps(arguments.model_dump(mode="json"), ensure_ascii=False)
