"""A command line for each operation, made from its schema and the examples in it."""

import json
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import urlencode

Json = Mapping[str, Any]
_AUTHORIZED = '-H "Authorization: Bearer $KEY"'


def curl(document: Json, method: str, path: str, operation: Json) -> str:
    """With {origin} for the address of the app."""
    parts = ["curl"]
    content = operation.get("requestBody", {}).get("content", {})
    if (method == "get" and not content) or (method == "post" and content):
        pass  # as curl does by itself
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
    """What a reference means."""
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
