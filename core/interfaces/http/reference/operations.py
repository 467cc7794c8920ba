"""The operations of an OpenAPI document, as the page shows them."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from core.interfaces.http.reference.examples import curl, resolved
from core.people.api_keys import KeyScope

Json = Mapping[str, Any]
_DEEPEST = 3
"""Levels of a body that are listed; the OpenAPI document has the rest."""
_SHOWN_VALUES = 12
_BOUNDS = (("minimum", "≥ "), ("maximum", "≤ "), ("maxLength", "≤ "), ("maxItems", "≤ "))


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    """With the names around it: `edits[].kind`."""
    place: str
    """path, query, header or body."""
    type: str
    required: bool
    description: str
    default: str = ""


@dataclass(frozen=True, slots=True)
class Operation:
    name: str
    method: str
    path: str
    area: str
    description: str
    scope: KeyScope | None
    """None where no key is needed."""
    parameters: tuple[Parameter, ...]
    body_type: str
    """Media type of the body; empty without one."""
    answer: tuple[Parameter, ...]
    statuses: tuple[str, ...]
    answer_types: tuple[str, ...]
    example: str
    """A command line, with {origin} for the address of the app."""


def operations(document: Json) -> list[Operation]:
    """In the order of the document."""
    return [
        _operation(document, path, method, given)
        for path, methods in document["paths"].items()
        for method, given in methods.items()
    ]


def parameters_of(document: Json, schema: Json, place: str = "body") -> tuple[Parameter, ...]:
    """The fields of an object, with those of the objects in it."""
    return tuple(_fields(document, schema, place, "", _DEEPEST))


def _operation(document: Json, path: str, method: str, given: Json) -> Operation:
    content: Json = given.get("requestBody", {}).get("content", {})
    body_type = next(iter(content), "")
    schema = resolved(document, content[body_type].get("schema", {})) if body_type else {}
    answers: Json = next(
        (it.get("content", {}) for status, it in given["responses"].items() if status.startswith("2")), {}
    )
    shape = answers.get("application/json", {}).get("schema", {})
    return Operation(
        name=given["operationId"],
        method=method.upper(),
        path=path,
        area=given["tags"][0],
        description=given.get("description", ""),
        scope=_scope(given.get("security", [])),
        parameters=(
            *(_parameter(document, it) for it in given.get("parameters", ())),
            *parameters_of(document, schema),
        ),
        body_type=body_type,
        answer=parameters_of(document, shape, "answer"),
        statuses=tuple(given["responses"]),
        answer_types=tuple(answers),
        example=curl(document, method, path, given),
    )


def _scope(security: Sequence[Mapping[str, Sequence[str]]]) -> KeyScope | None:
    """The widest: it includes the others."""
    named = {scope for each in security for scopes in each.values() for scope in scopes}
    return next((scope for scope in reversed(KeyScope) if scope.value in named), None)


def _parameter(document: Json, given: Json) -> Parameter:
    schema = given.get("schema", {})
    words = given.get("description") or schema.get("description", "")
    required = bool(given.get("required"))
    return Parameter(given["name"], given["in"], type_of(document, schema), required, words, _default(schema))


def _fields(document: Json, schema: Json, place: str, before: str, levels: int) -> Iterator[Parameter]:
    found = resolved(document, schema)
    if found.get("type") == "array":
        yield from _fields(document, found.get("items", {}), place, f"{before}[]" if before else "[]", levels)
        return
    for kind in found.get("oneOf") or found.get("anyOf") or ():
        if levels and resolved(document, kind).get("properties"):
            yield from _fields(document, kind, place, before, levels - 1)
    required = found.get("required", ())
    for name, inner in found.get("properties", {}).items():
        whole = f"{before}.{name}" if before else name
        words = inner.get("description") or resolved(document, inner).get("description", "")
        yield Parameter(whole, place, type_of(document, inner), name in required, words, _default(inner))
        if levels:
            yield from _fields(document, inner, place, whole, levels - 1)


def type_of(document: Json, schema: Json) -> str:
    """In words: `list of string`, `read or write`, `integer, ≥ 1, ≤ 200`."""
    found = resolved(document, schema)
    kinds = found.get("anyOf") or found.get("oneOf")
    if kinds:
        return " or ".join(dict.fromkeys(type_of(document, kind) for kind in kinds))
    if "const" in found:
        return str(found["const"])
    if values := found.get("enum"):
        return " or ".join(map(str, values[:_SHOWN_VALUES])) + (" …" if len(values) > _SHOWN_VALUES else "")
    kind = str(found.get("type", "any"))
    if kind == "array":
        kind = f"list of {type_of(document, found['items'])}" if found.get("items") else "list"
    elif "contentMediaType" in found:
        kind = "file"
    elif found.get("format") == "date-time":
        kind = "time"
    bounds = [f"{sign}{found[name]:,.0f}" for name, sign in _BOUNDS if name in found]
    return ", ".join((kind, *bounds))


def _default(schema: Json) -> str:
    """Empty where leaving it out is the same as none."""
    value = schema.get("default")
    return "" if value in (None, "", []) else str(value).lower() if isinstance(value, bool) else str(value)
