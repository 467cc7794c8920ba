"""Imports LangGraph without the clients of servers that nothing here asks: half of its loading.

LangChain reports runs to LangSmith where the environment says so, and asks for that in every run. As long as none of
LangSmith's code has run, nothing else can have said so; its modules are deferred, and these two answers are known.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.agents.workflows.deferred_package import attribute_of, defer, forget, is_deferred

DEFERRED = ("langgraph_sdk", "langsmith.address", "langsmith.schemas", "langsmith.types")
"""Packages of which at most a type is used."""
_RUNS, _CLIENT = "langsmith.run_trees", "langsmith.client"
_CONTEXT, _SWITCH = "langsmith.run_helpers", "langsmith.utils"
_PARTS = (
    "parent",
    "project_name",
    "address",
    "tags",
    "metadata",
    "enabled",
    "client",
    "replicas",
    "distributed_parent_id",
)
_SWITCHES = tuple(f"{family}_{name}" for family in ("LANGSMITH", "LANGCHAIN") for name in ("TRACING_V2", "TRACING"))


@contextmanager
def lean_imports() -> Iterator[None]:
    """Context for imports of LangGraph. Deferred modules load on their first use, now or later."""
    for package in DEFERRED:
        defer(package)
    answers = {_CONTEXT: {"get_tracing_context": _context}, _SWITCH: {"tracing_is_enabled": _is_enabled}}
    taken = {
        _RUNS: {"RunTree": _Run},
        _CLIENT: {"Client": object},  # the type of an argument, as the response
        "requests": {"HTTPError": OSError, "Response": object},  # to be caught; it is of this kind
    }
    for name, known in (answers | taken).items():
        defer(name, known)
    try:
        yield
    finally:
        for name, known in taken.items():
            for attribute in known:
                forget(name, attribute)


def _context(*args: Any) -> Any:
    """An empty context, unless code of LangSmith has run, which alone sets it."""
    return dict.fromkeys(_PARTS) if is_deferred(_RUNS) else attribute_of(_CONTEXT, "get_tracing_context")(*args)


def _is_enabled(*args: Any) -> Any:
    if is_deferred(_RUNS) and not any(os.environ.get(name) == "true" for name in _SWITCHES):
        return False
    return attribute_of(_SWITCH, "tracing_is_enabled")(*args)


class _Run:
    """Placeholder of the record of a reported run, which makes the real one."""

    def __new__(cls, *args: Any, **fields: Any) -> Any:
        return attribute_of(_RUNS, "RunTree")(*args, **fields)

    @staticmethod
    def model_construct(**fields: Any) -> Any:
        return attribute_of(_RUNS, "RunTree").model_construct(**fields)

    def model_dump(self) -> None:
        """Present to identify the record as a model of Pydantic 2."""
