"""Operations of an OpenAPI document for the reference page, each with an example command."""

import json
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from core.people.api_keys import KeyScope

Json = Mapping[str, Any]
_DEEPEST = 3
"""Nested levels of a body that are listed."""
_SHOWN_VALUES = 12
_BOUNDS = (("minimum", "≥ "), ("maximum", "≤ "), ("maxLength", "≤ "), ("maxItems", "≤ "))
_AUTHORIZED = '-H "Authorization: Bearer $KEY"'


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    """Name with its parents: `edits[].kind`."""
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
    """None if no key is needed."""
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
    """The widest scope, which includes the others."""
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
    """The default as text; empty for an empty default."""
    value = schema.get("default")
    return "" if value in (None, "", []) else str(value).lower() if isinstance(value, bool) else str(value)


def curl(document: Json, method: str, path: str, operation: Json) -> str:
    """A command line, with {origin} for the address of the app."""
    parts = ["curl"]
    content = operation.get("requestBody", {}).get("content", {})
    if (method == "get" and not content) or (method == "post" and content):
        pass  # the default of curl
    else:
        parts.append(f"-X {method.upper()}")
    if operation.get("security"):
        parts.append(_AUTHORIZED)
    for media_type, body in content.items():
        parts += _body(document, media_type, body.get("schema", {}))
    return " ".join((*parts, f'"{{origin}}{_address(document, path, operation)}"'))


def value_of(document: Json, schema: Json, name: str = "") -> Any:
    """The first example, else one that its type allows: the name in capitals for what has to be filled in."""
    found = resolved(document, schema)
    if examples := schema.get("examples") or found.get("examples"):
        return examples[0]
    if (default := schema.get("default")) not in (None, "", []):
        return default
    if several := found.get("anyOf") or found.get("oneOf"):
        return value_of(document, several[0], name)
    if allowed := [found["const"]] if "const" in found else found.get("enum"):
        return allowed[0]
    return _of_type(document, found, name)


def _of_type(document: Json, found: Json, name: str) -> Any:
    match found.get("type"):
        case "object":
            return _object(document, found)
        case "array":
            return [value_of(document, found.get("items", {}), name)] * int(found.get("minItems", 1) or 1)
        case "integer" | "number":
            return found.get("minimum", 1)
        case "boolean":
            return True
    return name.removesuffix("_id").upper() or "TEXT"


def resolved(document: Json, schema: Json) -> Json:
    """The schema, with its reference resolved."""
    reference = schema.get("$ref")
    if reference is None:
        return schema
    found: Json = document["components"]["schemas"][reference.rsplit("/", 1)[1]]
    return found


def _object(document: Json, schema: Json) -> dict[str, Any]:
    """What is required and what has an example; the first field where there is neither."""
    fields: Json = schema.get("properties", {})
    required = schema.get("required", ())
    shown = [name for name, inner in fields.items() if name in required or inner.get("examples")] or list(fields)[:1]
    return {name: value_of(document, fields[name], name) for name in shown}


def _body(document: Json, media_type: str, schema: Json) -> list[str]:
    if media_type != "multipart/form-data":
        made = json.dumps(value_of(document, schema), ensure_ascii=False)
        return ["--json", shlex.quote(made)]
    form = resolved(document, schema)
    required = form.get("required", ())
    return [
        f"-F {name}=@{(inner.get('examples') or [f'{name}.json'])[0]}"
        for name, inner in form.get("properties", {}).items()
        if name in required
    ]


def _address(document: Json, path: str, operation: Json) -> str:
    query = []
    for given in operation.get("parameters", ()):
        if given["in"] == "path":
            value = value_of(document, given["schema"], given["name"])
            path = path.replace(f"{{{given['name']}}}", str(value))
        elif given["in"] == "query" and given.get("required"):
            value = value_of(document, given["schema"], given["name"])
            query.append((given["name"], value))
    return path + (f"?{urlencode(query, doseq=True)}" if query else "")
