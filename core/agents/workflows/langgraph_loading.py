"""Imports LangGraph without the clients of servers that nothing here asks: half of its loading.

LangChain reports runs to LangSmith where the environment says so, and asks for that in every run. As long as none of
LangSmith's code has run, nothing else can have said so; its modules are deferred, and these two answers are known.
"""

import os
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import MappingProxyType, ModuleType
from typing import Any

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
_NOTHING: Mapping[str, Any] = MappingProxyType({})
_IS_PACKAGE = "__path__"
"""Attribute that every import of a name requests of a module."""
_waiting: dict[str, "_Deferred"] = {}


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


def defer(name: str, known: Mapping[str, Any] = _NOTHING) -> None:
    """No effect on a loaded or missing module. known: attributes that do not run the code."""
    if name in sys.modules or not (spec := find_spec(name)) or not spec.loader:
        return
    module = module_from_spec(spec)
    _waiting[name] = _Deferred(module, known)
    sys.modules[name] = module


def is_deferred(name: str) -> bool:
    """Whether its code has still to run."""
    return name in _waiting


def attribute_of(name: str, attribute: str) -> Any:
    """The attribute as the module's own code defines it. Raises AttributeError, ImportError."""
    if deferred := _waiting.get(name):
        deferred.run()
    return getattr(sys.modules[name], attribute)


def forget(name: str, attribute: str) -> None:
    """Makes a known attribute run the code from now on."""
    if deferred := _waiting.get(name):
        vars(deferred.module).pop(attribute, None)


class _Deferred:
    """Like the LazyLoader of Python 3.12, but without reading the module's source."""

    def __init__(self, module: ModuleType, known: Mapping[str, Any]) -> None:
        self.module = module
        self._lock = RLock()
        self._has_begun = False
        self._asked = self._attribute
        vars(module).update(known, __getattr__=self._asked)

    def run(self) -> None:
        """Other threads wait until it has run; code that it imports sees what there is so far."""
        module, spec = self.module, self.module.__spec__
        with self._lock:
            if self._has_begun or not spec or not spec.loader:
                return
            self._has_begun = True
            spec.loader.exec_module(module)
            if vars(module).get("__getattr__") is self._asked:
                del vars(module)["__getattr__"]
            _waiting.pop(module.__name__, None)

    def _attribute(self, name: str) -> Any:
        if name != _IS_PACKAGE:
            self.run()
        if name in vars(self.module):
            return vars(self.module)[name]
        if (own := vars(self.module).get("__getattr__")) not in (None, self._asked):
            return own(name)
        raise AttributeError(f"module {self.module.__name__!r} has no attribute {name!r}")
