"""Pydantic adapters, one per type: building one takes longer than a stage of a small document."""

from typing import Any

from pydantic import TypeAdapter

_ADAPTERS: dict[Any, TypeAdapter[Any]] = {}
"""A dictionary, since a cached function takes nothing that mypy does not know to be hashable, as type variables."""


def adapter(kind: Any) -> TypeAdapter[Any]:
    if kind not in _ADAPTERS:
        _ADAPTERS[kind] = TypeAdapter(kind)
    return _ADAPTERS[kind]
