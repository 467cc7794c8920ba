"""`POST /v1/responses`: the newer protocol of OpenAI, without stored responses."""

from collections.abc import AsyncGenerator
from typing import Any, Literal

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette.event import JSONServerSentEvent
from starlette.responses import Response

from core.interfaces.http.access import Caller, ServicesDep
from core.interfaces.http.openai.chat import origin_of
from core.interfaces.http.openai.chat_shapes import (
    MAX_MESSAGES,
    Completion,
    Extension,
    Function,
    FunctionChoice,
    FunctionTool,
    JsonSchema,
    Message,
    MessagePart,
    ResponseFormat,
    Text,
)
from core.interfaces.http.openai.replies import Asked, MadeReply, begun, pieces, whole
from core.interfaces.http.problems import RefusedRequest, openai_error
from core.interfaces.http.streams import events_response
from core.interfaces.http.v1.streaming import SSE_DOCUMENTED
from core.interfaces.http.waiting import in_own_thread
from core.platform.errors import AppError

router = APIRouter(prefix="/v1", tags=["openai"])


class Item(BaseModel):
    """Of the conversation; what has no role is not read."""

    role: Literal["system", "developer", "user", "assistant"] | None = None
    content: Text | list[MessagePart] | None = None


class TextFormat(BaseModel):
    model_config = ConfigDict(populate_by_name=True)

    type: Literal["text", "json_object", "json_schema"] = "text"
    name: str = Field(default="", max_length=100)
    form: dict[str, Any] = Field(default={}, alias="schema")


class TextOptions(BaseModel):
    format: TextFormat = TextFormat()


class NamedTool(BaseModel):
    type: str = Field(max_length=100)
    name: str = Field(default="", max_length=100)
    parameters: dict[str, Any] | None = None


class ResponseIn(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: str = Field(
        min_length=1, max_length=300, description="workflow, or workflow@knowledge base", examples=["adaptive"]
    )
    input: Text | list[Item] = Field(min_length=1, max_length=1_000_000, examples=["When was it founded?"])
    instructions: str | None = None
    previous_response_id: str | None = Field(default=None, description="refused: send the conversation along")
    max_output_tokens: int | None = Field(default=None, ge=1)
    stream: bool = False
    text: TextOptions = TextOptions()
    tools: list[NamedTool] | None = Field(default=None, max_length=128)
    tool_choice: Literal["none", "auto", "required"] | NamedTool | None = None
    base: str = Field(default="", max_length=200, description="extension: knowledge base, by name or id")
    footnotes: bool = Field(default=True, description="extension: whether the text ends with the list of its sources")


class OutputText(BaseModel):
    type: Literal["output_text"] = "output_text"
    text: str
    annotations: list[Any] = []
    logprobs: list[Any] = []


class OutputItem(BaseModel):
    """A message, or a call of a function."""

    id: str
    type: Literal["message", "function_call"]
    status: Literal["in_progress", "completed", "incomplete"]
    role: Literal["assistant"] | None = None
    content: list[OutputText] | None = None
    call_id: str | None = None
    name: str | None = None
    arguments: str | None = None


class TokenDetails(BaseModel):
    cached_tokens: int = 0
    cache_write_tokens: int = 0


class ReasoningDetails(BaseModel):
    reasoning_tokens: int = 0


class ResponseUsage(BaseModel):
    input_tokens: int
    input_tokens_details: TokenDetails = TokenDetails()
    output_tokens: int
    output_tokens_details: ReasoningDetails = ReasoningDetails()
    total_tokens: int


class ResponseOut(BaseModel):
    id: str
    object: Literal["response"] = "response"
    created_at: int
    status: Literal["in_progress", "completed", "incomplete", "failed"]
    model: str
    output: list[OutputItem] = []
    usage: ResponseUsage | None = None
    error: dict[str, str] | None = None
    incomplete_details: dict[str, str] | None = None
    instructions: str | None = None
    metadata: dict[str, str] = {}
    parallel_tool_calls: bool = False
    temperature: None = None
    top_p: None = None
    tool_choice: str = "none"
    tools: list[Any] = []
    graphtalk: Extension | None = None


@router.post("/responses", response_model=ResponseOut, responses={200: {"content": SSE_DOCUMENTED}})
async def respond(services: ServicesDep, key: Caller, wanted: ResponseIn, request: Request) -> Response:
    """As /v1/chat/completions, in the shapes of responses."""
    completion = _completion(wanted)
    asked = await in_own_thread(begun, services, key, completion, origin_of(request))
    if wanted.stream:
        return events_response(_stream(asked))
    return JSONResponse(_dumped(_finished(asked, await whole(asked))))


def _completion(wanted: ResponseIn) -> Completion:
    """The equivalent completion. Raises RefusedRequest."""
    if wanted.previous_response_id:
        raise RefusedRequest(400, "api.problem.earlier_response")
    items = [Item(role="user", content=wanted.input)] if isinstance(wanted.input, str) else wanted.input
    messages = [Message(role=item.role, content=item.content) for item in items if item.role]
    if wanted.instructions:
        messages.insert(0, Message(role="system", content=wanted.instructions))
    if not messages or len(messages) > MAX_MESSAGES:
        raise RefusedRequest(400, "api.problem.no_question")
    format_ = wanted.text.format
    schema = JsonSchema(name=format_.name, schema=format_.form) if format_.type == "json_schema" else None
    choice = wanted.tool_choice
    return Completion(
        model=wanted.model,
        messages=messages,
        max_completion_tokens=wanted.max_output_tokens,
        response_format=ResponseFormat(type=format_.type, json_schema=schema),
        tools=[FunctionTool(type=tool.type, function=_function(tool)) for tool in wanted.tools or ()] or None,
        tool_choice=FunctionChoice(type=choice.type, function=_function(choice))
        if isinstance(choice, NamedTool)
        else choice,
        base=wanted.base,
        footnotes=wanted.footnotes,
    )


def _function(tool: NamedTool) -> Function:
    return Function(name=tool.name, parameters=tool.parameters or {})


async def _stream(asked: Asked) -> AsyncGenerator[JSONServerSentEvent]:
    number = 0
    at: dict[str, object] = {"output_index": 0, "item_id": _item_id(asked), "content_index": 0}

    def event(name: str, **values: object) -> JSONServerSentEvent:
        nonlocal number
        number += 1
        told = {"type": f"response.{name}", "sequence_number": number - 1, **values}
        return JSONServerSentEvent(told, event=f"response.{name}")

    calls = bool(asked.form and asked.form.function)
    yield event("created", response=_dumped(_response(asked, "in_progress")))
    if not calls:
        yield event("output_item.added", output_index=0, item=_dumped(_message(asked, None, "in_progress")))
        yield event("content_part.added", part=_dumped(OutputText(text="")), **at)
    try:
        async for piece in pieces(asked):
            if isinstance(piece, str):
                if not calls:
                    yield event("output_text.delta", delta=piece, logprobs=[], **at)
                continue
            done = _finished(asked, piece)
            item = _dumped(done.output[0])
            if calls:
                yield event("output_item.added", output_index=0, item=item)
            else:
                yield event("output_text.done", text=piece.text, logprobs=[], **at)
                yield event("content_part.done", part=_dumped(OutputText(text=piece.text)), **at)
            yield event("output_item.done", output_index=0, item=item)
            yield event("incomplete" if done.status == "incomplete" else "completed", response=_dumped(done))
    except AppError as error:
        told = openai_error(error)["error"]
        failed = _response(asked, "failed")
        failed.error = {"code": "server_error", "message": told["message"]}
        yield event("failed", response=_dumped(failed))


def _finished(asked: Asked, reply: MadeReply) -> ResponseOut:
    is_cut = reply.finish == "length"
    made = _response(asked, "incomplete" if is_cut else "completed")
    made.output = [_call(asked, reply) if reply.function else _message(asked, reply.text, made.status)]
    made.incomplete_details = {"reason": "max_output_tokens"} if is_cut else None
    used = reply.usage
    made.usage = ResponseUsage(
        input_tokens=used.prompt_tokens, output_tokens=used.completion_tokens, total_tokens=used.total_tokens
    )
    made.graphtalk = reply.extension
    return made


def _response(asked: Asked, status: Literal["in_progress", "completed", "incomplete", "failed"]) -> ResponseOut:
    return ResponseOut(id=f"resp_{asked.id}", created_at=asked.created, status=status, model=asked.completion.model)


def _message(asked: Asked, text: str | None, status: str) -> OutputItem:
    content = [] if text is None else [OutputText(text=text)]
    return OutputItem.model_validate(
        {"id": _item_id(asked), "type": "message", "status": status, "role": "assistant", "content": content}
    )


def _call(asked: Asked, reply: MadeReply) -> OutputItem:
    return OutputItem(
        id=f"fc_{asked.id}",
        type="function_call",
        status="completed",
        call_id=f"call_{asked.id}",
        name=reply.function,
        arguments=reply.text,
    )


def _item_id(asked: Asked) -> str:
    return f"msg_{asked.id}"


def _dumped(made: ResponseOut | OutputItem | OutputText) -> dict[str, Any]:
    """JSON values; an item has only the fields of its type."""
    said = made.model_dump(mode="json")
    for item in said.get("output", [said] if isinstance(made, OutputItem) else []):
        for name in [name for name, value in item.items() if value is None]:
            del item[name]
    return said
