"""One call of a model that may request tools: limits before, counts after, bounded retries, one family of errors."""

import json
import re
import time
from collections.abc import Callable, Sequence
from typing import Any

import httpx2
import openai
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, ToolCall
from langchain_core.outputs import ChatGenerationChunk, GenerationChunk
from langchain_openai import ChatOpenAI

from core.models.agent_ports import AgentTask, ToolSchema, ToolUse
from core.models.chat.deadline import Deadline, deadline_of
from core.models.chat.dialect import is_too_long, lower_limit
from core.models.chat.dialogue import ChatDialogue
from core.models.chat.endpoint import problem_of
from core.models.chat.written_calls import CallFilter, WrittenCall, read_calls
from core.models.failures import SPENT, RefusedError, ToolsUnknownError
from core.models.meter import Meter, stop_if_cancelled, telling
from core.models.redact import KeyFilter, redact
from core.models.reply_text import ReplyText
from core.models.thinking import without_thinking
from core.models.tokens import believed
from core.platform.errors import BudgetError, CancelledError, RetryableServiceError, ServiceError
from core.platform.http.guarded_client import stoppable
from core.platform.plain_text import storable, storable_parts
from core.runs.model import Usage

MOST_CALLS = 8
"""Tool calls accepted per turn; further ones are dropped."""
LONGEST_NAME = 80
_NOT_OF_THE_PROTOCOL = (ValueError, TypeError, KeyError, AttributeError, IndexError)
"""Exceptions of LangChain if an endpoint sends anything other than chunks of a chat completion."""
_READABLE = re.compile(r"\w")
_ENDED = {"stop", "tool_calls", "function_call"}
Attempt = Callable[[ChatOpenAI, dict[str, Any]], AIMessage]
"""Calls the given model with settings to bind and the callbacks already attached."""


class Tokens(BaseCallbackHandler):
    """Passes the model's text on as it arrives, as ReplyText lets it, without calls. Stopping ends the call."""

    raise_error = True

    def __init__(self, say: Callable[[str], None], meter: Meter, key: str) -> None:
        """`key` is the endpoint's own key, which is removed from every text."""
        self._say = say
        self._key = key
        self._meter = meter
        self.begin(0, 0)

    def begin(self, max_tokens: int, thinking_tokens: int) -> None:
        """Resets for another turn."""
        self.said = False
        self.received: list[str] = []
        """Everything received, including thinking and arguments of tools."""
        self._reply = ReplyText(max_tokens, thinking_tokens, self._key, self._meter)
        self._calls = CallFilter()

    def on_llm_new_token(
        self,
        token: str | list[str | dict[str, Any]],
        *,
        chunk: GenerationChunk | ChatGenerationChunk | None = None,
        **_: Any,
    ) -> None:
        text, arguments = storable(AIMessage(token).text), storable(_arguments(chunk))
        self.received.append(text or arguments)
        stop_if_cancelled(self._meter)
        self._pass(self._reply.feed(text, arguments))

    def finish(self) -> None:
        self._pass(self._reply.finish())

    def release(self) -> None:
        """Shows held text that turned out not to be a call."""
        self._show(self._calls.finish())

    def _pass(self, text: str) -> None:
        self._show(self._calls.feed(text))

    def _show(self, text: str) -> None:
        if text:
            self.said = True
            self._say(text)


class AgentCall:
    """The calls of one task."""

    def __init__(self, dialogue: ChatDialogue, task: AgentTask[Any], tokens: Tokens, meter: Meter) -> None:
        self._dialogue = dialogue
        self._config = dialogue.endpoint.config
        self._task = task.name
        self._max_tokens = task.max_tokens
        self._tokens = tokens
        self._meter = meter

    def made(self, attempt: Attempt, messages: Sequence[BaseMessage], tools: Sequence[ToolSchema]) -> AIMessage:
        """A usable answer: text or tool calls, all with ids. tools: those that may be called.

        Raises ServiceError, ToolsUnknownError, BudgetError, CancelledError.
        """
        self._meter.before_call(self._task, self._config.stream_seconds)
        deadline = deadline_of(self._config.stream_seconds, self._meter)
        started = time.monotonic()
        try:
            message = self._tried(attempt, deadline, bool(tools))
        except (ServiceError, BudgetError, CancelledError) as error:
            received = "".join(self._tokens.received)
            if received or error.key in SPENT:
                self._count(AIMessage(received), messages, time.monotonic() - started)
            raise
        self._tokens.finish()
        self._count(message, messages, time.monotonic() - started)
        reason = str(message.response_metadata.get("finish_reason"))
        if self._dialogue.allow_thinking(reason, "".join(self._tokens.received)):
            return self.made(attempt, messages, tools)
        reply, written = _clean(message, tools, KeyFilter(self._config.api_key))
        if not written:
            self._tokens.release()
        return reply

    def _tried(self, attempt: Attempt, deadline: Deadline, with_tools: bool) -> AIMessage:
        attempts, limit = 0, self._max_tokens + self._dialogue.thinking_tokens
        while True:
            self._tokens.begin(self._max_tokens, self._dialogue.thinking_tokens)
            try:
                return self._once(attempt, limit, deadline)
            except RefusedError as refusal:
                if lower := lower_limit(refusal.said, limit):
                    limit = lower
                else:
                    self._weaken(refusal, with_tools)
            except RetryableServiceError as error:
                if self._tokens.said:
                    raise
                self._dialogue.endpoint.pause(error, attempts, deadline)
                attempts += 1

    def _once(self, attempt: Attempt, limit: int, deadline: Deadline) -> AIMessage:
        try:
            with stoppable(deadline.stopped), telling(deadline.hear):
                message = attempt(self._model(limit), {"timeout": deadline.seconds()})
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            problem = problem_of(error, self._config.api_key)
        except _NOT_OF_THE_PROTOCOL as error:
            problem = ServiceError("llm.malformed")
            problem.__cause__ = error
        else:
            if message.response_metadata.get("finish_reason"):
                return _storable(message)
            problem = RetryableServiceError("llm.interrupted")
        deadline.seconds()
        raise problem

    def _model(self, limit: int) -> ChatOpenAI:
        """The shared client, configured for what this endpoint accepts.

        The limit goes around LangChain, which would send every endpoint the name that OpenAI gives it now.
        """
        dialect = self._dialogue.dialect
        changes: dict[str, Any] = {
            "streaming": True,
            "stream_usage": dialect.stream_usage,
            "extra_body": {**dialect.limited(limit), **self._config.progress},
        }
        if not dialect.temperature:
            changes["temperature"] = None
        return self._dialogue.endpoint.chat_model.model_copy(update=changes)

    def _weaken(self, refusal: RefusedError, with_tools: bool) -> None:
        """Remembers what the endpoint rejected. Raises if that cannot be left out."""
        said = refusal.said.lower()
        if is_too_long(said):
            raise refusal
        if with_tools and ("tool" in said or "function" in said):
            self._dialogue.forget_tools()
            raise ToolsUnknownError(refusal.key) from refusal
        self._dialogue.weaken(refusal)

    def _count(self, message: AIMessage, messages: Sequence[BaseMessage], seconds: float) -> None:
        prompt = "\n\n".join(f"{it.type}:\n{_readable(it)}" for it in messages)
        response, secrets = _readable(message), [self._config.api_key]
        usage = believed(_usage(message), prompt, response)
        self._meter.after_call(self._task, redact(prompt, secrets), redact(response, secrets), seconds, usage)


def _storable(message: AIMessage) -> AIMessage:
    calls = {name: storable_parts(getattr(message, name)) for name in ("tool_calls", "invalid_tool_calls")}
    return message.model_copy(update={"content": storable(message.text), **calls})


def _clean(message: AIMessage, tools: Sequence[ToolSchema], own: KeyFilter) -> tuple[AIMessage, list[WrittenCall]]:
    """The reply without thinking, with answerable calls only, and those of them that it has in its text.

    Raises ServiceError if it is empty or was cut short.
    """
    said = own.whole(without_thinking(message.text))
    text, written = read_calls(said, {tool.name: tool for tool in tools})
    reason = message.response_metadata.get("finish_reason")
    calls = _calls(message, written) if tools else []
    if reason not in _ENDED and not (text and reason not in {"length", "content_filter"}):
        raise ServiceError("llm.cut_short")
    if not _READABLE.search(text) and not calls:
        raise ServiceError("llm.empty")
    return AIMessage(text, tool_calls=calls), written


def _calls(message: AIMessage, written: Sequence[WrittenCall]) -> list[ToolCall]:
    """Arguments that are not a JSON object become an empty one; the tool then reports what is missing."""
    wanted = [(it["id"], it["name"], it["args"]) for it in message.tool_calls]
    wanted += [(it["id"], it["name"] or "", {}) for it in message.invalid_tool_calls]
    wanted = wanted or [(None, it.name, it.arguments) for it in written]
    ids = [given or "" for given, _, _ in wanted]
    return [
        ToolCall(name=name[:LONGEST_NAME] or "nameless", args=args, id=_id(at, ids), type="tool_call")
        for at, (_, name, args) in enumerate(wanted[:MOST_CALLS])
    ]


def _id(at: int, ids: Sequence[str]) -> str:
    """The model's own id if there is one and it is unique."""
    return ids[at] if ids[at] and ids.count(ids[at]) == 1 else f"{ids[at] or 'call'}_{at + 1}"


def uses_of(message: AIMessage) -> tuple[ToolUse, ...]:
    return tuple(
        ToolUse(call["id"] or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
        for call in message.tool_calls
    )


def _arguments(chunk: GenerationChunk | ChatGenerationChunk | None) -> str:
    """The part of the arguments of tools in the piece."""
    if not isinstance(chunk, ChatGenerationChunk) or not isinstance(chunk.message, AIMessageChunk):
        return ""
    return "".join(call["args"] or "" for call in chunk.message.tool_call_chunks)


def _readable(message: BaseMessage) -> str:
    calls = message.tool_calls if isinstance(message, AIMessage) else []
    asked = [f"{call['name']}({json.dumps(call['args'], ensure_ascii=False)})" for call in calls]
    return "\n".join(filter(None, [message.text, *asked]))


def _usage(message: AIMessage) -> Usage | None:
    counted = message.usage_metadata
    return Usage(1, counted["input_tokens"], counted["output_tokens"]) if counted else None
