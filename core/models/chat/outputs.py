"""Structured output: the requested schema, and validation of the model's answer against it."""

import json
from functools import cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from core.models.thinking import without_thinking
from core.platform.plain_text import storable_parts

Output = TypeVar("Output", bound=BaseModel)
SHOWN_ERRORS = 8
_KEPT = {"type", "properties", "required", "items", "enum", "const", "anyOf", "$ref", "$defs", "description"}
"""Keywords strict endpoints support; the rest (lengths, ranges, patterns) is checked here after the answer."""


class InvalidOutputError(ValueError):
    """The answer does not match the schema; str() explains why, for the model to read."""


@cache
def strict_schema(kind: type[BaseModel]) -> dict[str, Any]:
    """The JSON schema of an output with closed objects, all fields required and only keywords in _KEPT.

    Cached per class; do not modify it.
    """
    schema: dict[str, Any] = _strict(kind.model_json_schema())
    return schema


def parse_output(kind: type[Output], answer: str) -> Output:
    """The output in an answer, which may be fenced or surrounded by text. Raises InvalidOutputError."""
    try:
        return kind.model_validate(_json_object(without_thinking(answer)))
    except ValidationError as error:
        problems = error.errors(include_url=False, include_input=False, include_context=False)[:SHOWN_ERRORS]
        reasons = (f"{'.'.join(map(str, problem['loc'])) or 'the object'}: {problem['msg']}" for problem in problems)
        raise InvalidOutputError("; ".join(reasons)) from error


def _json_object(text: str) -> dict[str, Any]:
    """The first JSON object in the text. Values JSON does not allow (NaN, Infinity) are rejected."""
    start = text.find("{")
    if start < 0:
        raise InvalidOutputError("there is no JSON object in the answer")
    try:
        found, _ = json.JSONDecoder(parse_constant=_refuse).raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise InvalidOutputError(f"the JSON object cannot be read: {error}") from error
    whole: dict[str, Any] = storable_parts(found)
    return whole


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not a JSON number")


def _strict(node: Any) -> Any:
    if isinstance(node, list):
        return [_strict(item) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        return {"$ref": node["$ref"]}
    kept = {key: _strict(value) for key, value in node.items() if key in _KEPT - {"properties", "$defs"}}
    for key in {"properties", "$defs"} & node.keys():
        kept[key] = {name: _strict(value) for name, value in node[key].items()}
    if node.get("type") == "object":
        kept["additionalProperties"] = False
        kept["required"] = list(kept.get("properties", {}))
    return kept
