"""Answers made from the prompt itself, so that the whole app can run on the double: quotes and fitting JSON."""

import json
import re
from typing import Any

from tests.loopback.answers import Reply, ToolCall
from tests.loopback.extraction import derived_extraction, is_extraction

_BLOCK = re.compile(r"^<(\w+)>\n(.*?)\n</\1>$", re.DOTALL | re.MULTILINE)
_ITEM = re.compile(r"^\[(\d+)\] (.*?)(?=^\[\d+\] |\Z)", re.DOTALL | re.MULTILINE)
_SENTENCE = re.compile(r".+?(?:[。！？]|[.!?](?=\s|$)|$)", re.DOTALL)
_NO_WORDS = ("unsafe", "blocked", "violat", "out_of_scope", "contradict", "sensitive", "unlawful", "refus")
_YES_WORDS = ("relevant", "supported", "compliant", "pass", "yes", "chunks", "retriev", "answered", "ok")
QUOTED_PASSAGES = 2
DEPTH = 8


def derived_reply(request: dict[str, Any]) -> Reply:
    """What a modest model could have answered to the request."""
    messages = request["messages"]
    if is_extraction(request):
        return derived_extraction(request)
    choice = request.get("tool_choice")
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in request.get("tools", ())}
    if isinstance(choice, dict):
        return Reply(_instance_text(tools[choice["function"]["name"]], messages))
    if tools and choice != "none" and messages[-1]["role"] != "tool":
        name, schema = next(iter(tools.items()))
        return Reply(tool_calls=(ToolCall(name, _instance_text(schema, messages)),), finish_reason="tool_calls")
    form = request.get("response_format", {})
    if form.get("type") == "json_schema":
        return Reply(_instance_text(form["json_schema"]["schema"], messages))
    if form.get("type") == "json_object":
        return Reply(_instance_text(_described_schema(messages), messages))
    return Reply(_quotes(messages))


def fitting_arguments(request: dict[str, Any], name: str) -> str:
    """Arguments that fit the schema of a tool of the request."""
    tools = {tool["function"]["name"]: tool["function"]["parameters"] for tool in request.get("tools", ())}
    return _instance_text(tools.get(name, {"type": "object"}), request["messages"])


def blocks_of(messages: list[dict[str, Any]]) -> dict[str, str]:
    """The data blocks of a prompt by name."""
    return dict(_BLOCK.findall("\n".join(_content(message) for message in messages)))


def items_of(block: str) -> list[tuple[int, str]]:
    """The numbered items of a block."""
    return [(int(number), text.strip()) for number, text in _ITEM.findall(block)]


def _quotes(messages: list[dict[str, Any]]) -> str:
    """The first sentence of the first passages, cited; of a tool's result; or an echo of what was said."""
    passages = items_of(blocks_of(messages).get("passages", ""))
    if passages:
        return " ".join(f"{_first_sentence(_body(text))} [{number}]" for number, text in passages[:QUOTED_PASSAGES])
    last = _content(messages[-1])
    return (
        _first_sentence(last) if messages[-1]["role"] == "tool" else f"You said: {_first_sentence(_question(messages))}"
    )


def _body(passage: str) -> str:
    """A passage's first line says where it stands."""
    return passage.partition("\n")[2] or passage


def _first_sentence(text: str) -> str:
    match = _SENTENCE.match(" ".join(text.split()))
    return match[0].strip() if match else "Nothing."


def _question(messages: list[dict[str, Any]]) -> str:
    blocks = blocks_of(messages)
    asked = next((blocks[name] for name in ("resolved_question", "question", "query") if name in blocks), "")
    return asked or _content(messages[-1])


def _content(message: dict[str, Any]) -> str:
    content = message.get("content")
    return content if isinstance(content, str) else ""


def _described_schema(messages: list[dict[str, Any]]) -> dict[str, Any]:
    """The schema that the prompt shows where the request cannot carry it."""
    text = "\n".join(_content(message) for message in messages)
    start = text.find("{", text.find("JSON schema: "))
    schema: dict[str, Any] = json.JSONDecoder().raw_decode(text, start)[0]
    return schema


def _instance_text(schema: dict[str, Any], messages: list[dict[str, Any]]) -> str:
    return json.dumps(_instance("", schema, schema.get("$defs", {}), messages, 0), ensure_ascii=False)


def _instance(name: str, schema: Any, defs: Any, messages: Any, depth: int) -> Any:
    """A value that fits the schema; choices and flags are those of a question that goes well."""
    if "$ref" in schema:
        schema = defs[schema["$ref"].rpartition("/")[2]]
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return _choice(schema["enum"])
    if "anyOf" in schema:
        return _instance(name, schema["anyOf"][0], defs, messages, depth)
    kind = schema.get("type")
    if kind == "object":
        fields = schema.get("properties", {}) if depth < DEPTH else {}
        return {key: _instance(key, value, defs, messages, depth + 1) for key, value in fields.items()}
    if kind == "array":
        return _array(name, schema.get("items", {}), defs, messages, depth)
    if kind == "boolean":
        return not any(word in name for word in _NO_WORDS)
    if kind in ("integer", "number"):
        return 1
    return None if kind == "null" else _words(name, messages)


def _array(name: str, items: Any, defs: Any, messages: Any, depth: int) -> list[Any]:
    """Numbers and objects stand for the passages of the prompt, one each; texts for one query, or for nothing.

    Summaries are the first sentences of the prompt's parts.
    """
    if name == "summaries":
        return [_first_sentence(part) for part in blocks_of(messages).get("parts", "").splitlines()]
    kind = defs[items["$ref"].rpartition("/")[2]].get("type") if "$ref" in items else items.get("type")
    numbers = [number for number, _ in items_of(blocks_of(messages).get("passages", ""))]
    if kind == "integer":
        return numbers
    if kind == "object":
        made = (_instance(name, items, defs, messages, depth + 1) for _ in numbers)
        return [
            {
                key: number if isinstance(value, int) and not isinstance(value, bool) else value
                for key, value in it.items()
            }
            for number, it in zip(numbers, made, strict=True)
        ]
    return [_question(messages)] if "quer" in name else []


def _choice(choices: list[Any]) -> Any:
    return next((it for it in choices if any(word in str(it).lower() for word in _YES_WORDS)), choices[0])


def _words(name: str, messages: list[dict[str, Any]]) -> str:
    if "quer" in name or "question" in name:
        return _first_sentence(_question(messages))
    return "Derived from the prompt." if "reason" in name else _first_sentence(_question(messages))[:80]
