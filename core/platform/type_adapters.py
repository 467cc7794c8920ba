"""JSON adapters of dataclasses, one per type: building one takes longer than a stage of a small document."""

from functools import cache
from typing import Any

from pydantic import TypeAdapter


@cache
def adapter(kind: Any) -> TypeAdapter[Any]:
    return TypeAdapter(kind)
