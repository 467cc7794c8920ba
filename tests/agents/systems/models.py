"""What good models answer over the wire to the questions of these tests, and models opened for them."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from core.models.chat.llm import ChatLlm
from core.models.ports import Llm
from tests.fakes import RuleLlm
from tests.loopback.answers import Reply, ToolCall
from tests.loopback.openai_server import OpenAiServer, Script
from tests.models.chat.examples import impatient

WRITTEN = {
    True: "KelpNet was developed by Lena Vogt [1].",
    False: "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。",
}


def sensible(request: dict[str, Any]) -> Reply:
    """What a good model answers to each task, as far as these questions go."""
    asked = "\n".join(message["content"] or "" for message in request["messages"])
    form = request.get("response_format")
    if "tools" in request and form is None and (call := _wanted(request["messages"], request["tools"])):
        return Reply(tool_calls=(call,), finish_reason="tool_calls")
    if form is None:
        return Reply(_said(asked))
    return Reply(json.dumps(_decided(form["json_schema"]["name"], asked), ensure_ascii=False))


def _said(asked: str) -> str:
    """The answer where passages or tools told of it, in the language of the question."""
    own, _, name = _asked(asked)
    english = own.isascii()
    if own in {"hello", "你好"}:
        return "Hello!" if english else "您好！"
    told = any(mark in asked for mark in ("<passages>\n[1]", "Total related entities", "| similarity"))
    if told and name != own:
        return WRITTEN[english]
    return "Nothing was found." if english else "没有找到。"


def _wanted(messages: list[dict[str, Any]], tools: list[dict[str, Any]]) -> ToolCall | None:
    """The tool that a good model calls next; None when it is time to answer."""
    _, words, name = _asked(next(message["content"] for message in reversed(messages) if message["role"] == "user"))
    results = [message["content"] for message in messages if message["role"] == "tool"]
    if tools[0]["function"]["name"] == "knowledge_search":
        return None if results else ToolCall("knowledge_search", json.dumps({"query": words}))
    if not results:
        return ToolCall("search_entities", json.dumps({"query": name}))
    return ToolCall("get_neighbors", json.dumps({"entity_name": name})) if results[-1].startswith("Found") else None


def _asked(text: str) -> tuple[str, str, str]:
    """The question, the words to search for, and the name of what it is about."""
    own = text.split("<question>")[-1].split("</question>")[0].strip()
    if "neighbours" in own or "邻居" in own:
        own = "What is related to KelpNet?" if "neighbours" in own else "与KelpNet相关的有哪些？"
    if "it?" in own or "它" in own:
        own = "Who developed KelpNet?" if "it?" in own else "校准层是什么？"
    words = "KelpNet developed Lena Vogt" if "KelpNet" in own else own.strip("？?")
    return own, words, next((it for it in ("KelpNet", "校准层", "Station Handbook") if it in own), own)


def _decided(task: str, asked: str) -> dict[str, Any]:
    own, words, name = _asked(asked)
    match task:
        case "route_query":
            return {"route": "direct_chunk_search", "question": own, "reason": ""}
        case "plan":
            return {"route": "chunks", "question": own, "query": words, "reason": ""}
        case "plan_tools":
            return {"task_type": "simple_faq", "should_retrieve": True, "tool_calls": [], "intent": "look-up"}
        case "expand_query" | "rewrite_query":
            return {"query": words, "reason": ""}
        case "graph_model":
            step = "answer" if "Neighbors of" in asked or "No entity" in asked else "get_neighbors"
            step = step if "Found" in asked or step == "answer" else "search_entities"
            arguments = {"get_neighbors": {"entity_name": name, "hops": 1}, "search_entities": {"query": name}}
            return {"tool": step, "arguments": json.dumps(arguments.get(step, {}), ensure_ascii=False)}
        case "call_model":
            used = "knowledge_search({" in asked
            query = json.dumps({"query": words}, ensure_ascii=False)
            return {"tool": "answer" if used else "knowledge_search", "arguments": query}
        case "grade_evidence":
            return {"relevant": [1] if "KelpNet" in own or "校准层" in own else [], "reason": ""}
        case "evaluate_compliance":
            return {"sensitive": [], "unlawful": [], "contradicted": []}
        case "grade_relevance":
            return {"is_relevant": "[1]" in asked.split("<answer>")[-1], "reason": ""}
        case "check_answer":
            return {"supported": True, "answers": True, "unsupported": [], "reason": ""}
        case "consolidate_memory":
            return {"keep": False, "text": "", "kind": "fact", "importance": 1}
    raise AssertionError(f"no answer for {task}")


@contextmanager
def model_at(server: OpenAiServer, **changes: object) -> Iterator[ChatLlm]:
    """A model of the server, closed afterwards; changes are of its EndpointConfig."""
    llm = ChatLlm(impatient(server.base_url, **changes))
    yield llm
    llm.close()


ENGINES = ["built-in", "model"]


@contextmanager
def engine(name: str, script: Script = sensible) -> Iterator[Llm]:
    """One of ENGINES; the model answers by the script, over the wire."""
    if name == "built-in":
        yield RuleLlm()
        return
    with OpenAiServer(script) as server, model_at(server) as model:
        yield model
