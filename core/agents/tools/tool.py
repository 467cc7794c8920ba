"""A tool: name, description, arguments, the call itself, and when the rules would call it."""

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from core.agents.state import Deps, Route, State
from core.models.agent_ports import ToolSchema, ToolUse
from core.search.model import Hit, Rejected
from core.search.ports import WebResult


class Toolset(StrEnum):
    """Which workflows and plans a tool belongs to."""

    GRAPH = "graph"
    """The graph agent."""
    SEARCH = "search"
    """The tool loop."""
    DOCUMENTS = "documents"
    """Plans that search documents."""
    FORMS = "forms"
    """Plans that offer forms for download."""
    PROGRAMS = "programs"
    """Programs that call tools directly, in addition to those of the graph agent."""


class ToolArguments(BaseModel):
    """Arguments written by models: unknown fields are ignored, numbers are accepted as texts."""

    model_config = ConfigDict(coerce_numbers_to_str=True, frozen=True)


class NoArguments(ToolArguments):
    pass


@dataclass(frozen=True, slots=True)
class ToolOutcome:
    text: str
    """Result for the agent; its format is specified."""
    hits: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    route: Route | None = None
    """Search route, for tools that search documents."""
    web: tuple[WebResult, ...] = ()
    best: float | None = None
    """0..1: similarity of the best result."""
    fault: str = ""
    """Catalogue key of the reason why a web search failed."""
    forms: tuple[str, ...] = ()
    """Ids of documents offered for download."""
    entity_ids: tuple[str, ...] = ()
    """Entities named in the text."""


@dataclass(frozen=True, slots=True)
class ToolSituation:
    """State from which the rules decide whether to call a tool."""

    question: str
    """The question with its references resolved."""
    query: str = ""
    """The search query, if it has already been written."""
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    types: tuple[str, ...] = ()
    """Entity types of the graph."""
    used: tuple[ToolUse, ...] = ()
    """Tools called for this question, with results."""
    enough: bool = False
    """A result is similar enough to answer from."""


Arguments = TypeVar("Arguments", bound=ToolArguments)


def _unchanged(tool: "AnyTool", _state: State, _deps: Deps) -> "tuple[AnyTool, ...]":
    return (tool,)


@dataclass(frozen=True, slots=True)
class Tool(Generic[Arguments]):
    name: str
    description: str
    """Description for the model."""
    toolset: Toolset
    order: int
    """Position among the tools of a set."""
    arguments: type[Arguments]
    call: Callable[[Arguments, State, Deps], ToolOutcome]
    next: Callable[[ToolSituation], Arguments | None]
    """Rule: arguments for calling it now, or None."""
    last_resort: bool = False
    """Without a model it is called only if no other tool of the set applies."""
    for_session: Callable[["AnyTool", State, Deps], "tuple[AnyTool, ...]"] = _unchanged
    """Variants of the tool in a session: none, one, or several with distinct names."""

    def __str__(self) -> str:
        """One line for a prompt."""
        properties = self.schema().parameters["properties"]
        taken = "; ".join(f"{name}: {about.get('description', '')}" for name, about in properties.items())
        return f"{self.name}({taken}) - {self.description}"

    def schema(self) -> ToolSchema:
        """JSON schema for tool-calling models."""
        made = self.arguments.model_json_schema()
        properties = {
            name: {key: value for key, value in about.items() if key != "title"}
            for name, about in made.get("properties", {}).items()
        }
        required = list(made.get("required", ()))
        parameters = {"type": "object", "properties": properties, "required": required}
        return ToolSchema(self.name, self.description, parameters, self.accepts)

    def accepts(self, arguments: Mapping[str, Any]) -> bool:
        try:
            self.arguments.model_validate(arguments)
        except ValidationError:
            return False
        return True

    def run(self, arguments: str, state: State, deps: Deps) -> ToolOutcome:
        """Calls it with JSON arguments; invalid ones give an outcome with an error text."""
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
