"""The definition of a tool for programs: arguments, call and result."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.people.api_keys import ApiKey, KeyScope


@dataclass(frozen=True, slots=True)
class PageLink:
    address: str
    name: str


@dataclass(frozen=True, slots=True)
class ToolResult:
    text: str
    """Text for the model."""
    structured: BaseModel | None = None
    """Value of the output type of the tool."""
    links: tuple[PageLink, ...] = ()


class Arguments(BaseModel):
    """Unknown ones are refused, so that a misspelt one is not silently without effect."""

    model_config = ConfigDict(extra="forbid")


class InBase(Arguments):
    base: str = Field(
        default="", max_length=200, description="knowledge base, by name or id; needed where there are several"
    )


Given = TypeVar("Given", bound=Arguments)


@dataclass(frozen=True, slots=True)
class ProgramTool(Generic[Given]):
    name: str
    description: str
    arguments: type[Given]
    call: Callable[[Services, ApiKey, Given], ToolResult]
    """Raises AppError."""
    needs: KeyScope = KeyScope.ASK
    output: type[BaseModel] | None = None
    is_destructive: bool = False
    asks: bool = False
    """Whether it starts a run, which waits for its turn and for a model."""

    def schema(self) -> dict[str, Any]:
        made = self.arguments.model_json_schema()
        if "workflow" in made.get("properties", {}):
            made["properties"]["workflow"]["enum"] = list(workflows())
        return made

    def output_schema(self) -> dict[str, Any] | None:
        return self.output.model_json_schema(mode="serialization") if self.output else None


AnyProgramTool = ProgramTool[Any]
