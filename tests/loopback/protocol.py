"""The OpenAI chat protocol from the server's side: what it refuses, and the messages that it sends."""

import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from tests.loopback.answers import Reply, ToolCall

LIMITS = ("max_tokens", "max_completion_tokens")
REFUSABLE = ("json_schema", "json_object", "tools", "stream_options", "logprobs", "temperature", *LIMITS)
CREATED = 1_750_000_000


def refusal(request: dict[str, Any], refuses: frozenset[str]) -> str:
    """Why a server of this kind answers 400; empty when it does not."""
    form = request.get("response_format", {}).get("type", "")
    asked = {form, *(name for name in REFUSABLE if name in request)}
    if refused := sorted(asked & refuses):
        return f"'{refused[0]}' is not supported by this server."
    messages = request.get("messages")
    if not isinstance(messages, list) or not messages:
        return "'messages' must be a list with at least one message."
    if form == "json_object" and "json" not in json.dumps(messages).lower():
        return "'messages' must contain the word 'json' to use 'response_format' of type 'json_object'."
    if form == "json_schema" and (problem := _not_strict(request["response_format"]["json_schema"]["schema"])):
        return f"Invalid schema for response_format: {problem}"
    return _stray_tool_message(messages)


def _not_strict(schema: Any) -> str:
    """What OpenAI's strict mode says of a schema; empty when it takes it."""
    if isinstance(schema, list):
        return next(filter(None, map(_not_strict, schema)), "")
    if not isinstance(schema, dict):
        return ""
    if "$ref" in schema and len(schema) > 1:
        return "$ref cannot have other keywords beside it."
    if schema.get("type") == "object":
        if schema.get("additionalProperties") is not False:
            return "'additionalProperties' is required to be supplied and to be false."
        if set(schema.get("required", ())) != set(schema.get("properties", {})):
            return "'required' must name every key of 'properties'."
    return next(filter(None, map(_not_strict, schema.values())), "")


def _stray_tool_message(messages: list[dict[str, Any]]) -> str:
    """A tool's result must follow the message that called the tool."""
    called: set[str] = set()
    for message in messages:
        called |= {call["id"] for call in message.get("tool_calls") or ()}
        if message.get("role") == "tool" and message.get("tool_call_id") not in called:
            return "messages with role 'tool' must be a response to a preceding message with 'tool_calls'."
    return ""


def placed(request: dict[str, Any], reply: Reply) -> Reply:
    """The reply where the request wants it: a forced tool's arguments instead of text, nameless calls named."""
    tools = [tool["function"] for tool in request.get("tools", ())]
    choice = request.get("tool_choice")
    calls = reply.tool_calls
    if isinstance(choice, dict) and not calls:
        calls, reply = (ToolCall(choice["function"]["name"], reply.text),), replace(reply, text="")
    named = tuple(ToolCall(call.name or (tools[0]["name"] if tools else "tool"), call.arguments) for call in calls)
    return replace(reply, tool_calls=named)


def completion(request: dict[str, Any], reply: Reply, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": reply.text or None, "refusal": None}
    if reply.tool_calls:
        message["tool_calls"] = [_call(call, number, at) for at, call in enumerate(reply.tool_calls)]
    choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": reply.finish_reason}
    usage = {"usage": usage_of(request, reply)} if reply.usage else {}
    return {**_head(request, number, "chat.completion"), "choices": [choice], **usage}


def chunks(request: dict[str, Any], reply: Reply, number: int) -> Iterator[dict[str, Any]]:
    """The stream of a reply: a role, pieces of text or of tool calls, the finish reason, the usage if asked for."""
    head = _head(request, number, "chat.completion.chunk")
    yield _chunk(head, {"role": "assistant", "content": ""})
    for start in range(0, len(reply.text), reply.piece):
        piece = _chunk(head, {"content": reply.text[start : start + reply.piece]})
        if reply.log_probability is not None and request.get("logprobs"):
            piece["choices"][0]["logprobs"] = {"content": [{"token": "?", "logprob": reply.log_probability}]}
        yield piece
    for at, call in enumerate(reply.tool_calls):
        opened = _call(call, number, at)
        yield _chunk(head, {"tool_calls": [{**opened, "index": at, "function": {"name": call.name, "arguments": ""}}]})
        for start in range(0, len(call.arguments), reply.piece):
            piece = {"index": at, "function": {"arguments": call.arguments[start : start + reply.piece]}}
            yield _chunk(head, {"tool_calls": [piece]})
    if reply.finish_reason:
        yield _chunk(head, {}, reply.finish_reason)
    if reply.usage and (request.get("stream_options") or {}).get("include_usage"):
        yield {**head, "choices": [], "usage": usage_of(request, reply)}


def usage_of(request: dict[str, Any], reply: Reply) -> dict[str, int]:
    """Four characters are a token, here, unless the reply claims others."""
    if claimed := reply.claimed_tokens:
        return {"prompt_tokens": claimed, "completion_tokens": claimed, "total_tokens": 2 * claimed}
    prompt = len(json.dumps(request.get("messages"), ensure_ascii=False)) // 4
    answer = (len(reply.text) + sum(len(call.arguments) for call in reply.tool_calls)) // 4
    return {"prompt_tokens": prompt, "completion_tokens": answer, "total_tokens": prompt + answer}


def _head(request: dict[str, Any], number: int, kind: str) -> dict[str, Any]:
    return {"id": f"chatcmpl-{number}", "object": kind, "created": CREATED, "model": request.get("model", "")}


def _chunk(head: dict[str, Any], delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    return {**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}]}


def _call(call: ToolCall, number: int, at: int) -> dict[str, Any]:
    function = {"name": call.name, "arguments": call.arguments}
    return {"id": f"call_{number}_{at}", "type": "function", "function": function}
