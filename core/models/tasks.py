"""Model tasks of nodes, with a typed request, a typed output and a rule that works without a model."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Generic, TypeVar

from pydantic import BaseModel

Request = TypeVar("Request")
Output = TypeVar("Output", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Task(Generic[Request, Output]):
    """A decision with a structured output."""

    name: str
    """Also the prompt's file name under core/models/prompts."""
    output: type[Output]
    rule: Callable[[Request], Output]
    """The offline rule: a real, deterministic implementation."""
    max_tokens: int
    """Limit of the model's answer; what it thinks before comes on top."""
    for_small: bool = True
    """Whether a model of few billion parameters is asked; of some decisions it knows less than the rule."""


@dataclass(frozen=True, slots=True)
class TextTask(Generic[Request]):
    """A text streamed to the reader."""

    name: str
    rule: Callable[[Request], Iterable[str]]
    """Yields the text in pieces that can be shown immediately."""
    max_tokens: int
    """Limit of the model's answer; what it thinks before comes on top."""
