"""`POST /v1/chat/completions`: a workflow asked as a model. The program keeps the conversation and sends it along."""

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Request
from fastapi.responses import JSONResponse
from sse_starlette.event import JSONServerSentEvent, ServerSentEvent
from starlette.responses import Response

from core.interfaces.http.access import Caller, ServicesDep
from core.interfaces.http.openai.chat_shapes import (
    ChatChoice,
    ChatChunk,
    ChatCompletion,
    ChunkChoice,
    Completion,
    CompletionMessage,
    CompletionUsage,
    Delta,
    Extension,
    FunctionCall,
    MadeCall,
)
from core.interfaces.http.openai.replies import Asked, MadeReply, begun, pieces, whole
from core.interfaces.http.problems import openai_error
from core.interfaces.http.streams import events_response
from core.interfaces.http.v1.streaming import SSE_DOCUMENTED
from core.interfaces.http.waiting import in_own_thread
from core.platform.errors import AppError

router = APIRouter(prefix="/v1", tags=["openai"])
_DONE = "[DONE]"


@router.post("/chat/completions", response_model=ChatCompletion, responses={200: {"content": SSE_DOCUMENTED}})
async def complete(services: ServicesDep, key: Caller, completion: Completion, request: Request) -> Response:
    """Citations are in the field `graphtalk`, and as footnotes below the text. A stream that the program gives up
    stops the run."""
    asked = await in_own_thread(begun, services, key, completion, origin_of(request))
    if completion.stream:
        return events_response(_stream(asked))
    reply = await whole(asked)
    said = CompletionMessage(content=reply.text)
    if reply.function:
        said = CompletionMessage(content=None, tool_calls=[_call(asked, reply)])
    made = ChatCompletion(
        id=_id(asked),
        created=asked.created,
        model=completion.model,
        choices=[ChatChoice(message=said, finish_reason=reply.finish)],
        usage=reply.usage,
        graphtalk=reply.extension,
    )
    return JSONResponse(made.model_dump(mode="json"))


def origin_of(request: Request) -> str:
    return f"{request.url.scheme}://{request.url.netloc}"


async def _stream(asked: Asked) -> AsyncGenerator[ServerSentEvent]:
    yield _sent(asked, Delta(role="assistant", content=""))
    try:
        async for piece in pieces(asked):
            if isinstance(piece, MadeReply):
                for chunk in _last(asked, piece):
                    yield chunk
            elif not (asked.form and asked.form.function):
                yield _sent(asked, Delta(content=piece))
    except AppError as error:
        yield JSONServerSentEvent(openai_error(error))
    yield ServerSentEvent(_DONE)


def _last(asked: Asked, reply: MadeReply) -> list[ServerSentEvent]:
    chunks = [_sent(asked, Delta(tool_calls=[_call(asked, reply)]))] if reply.function else []
    chunks.append(_chunk(asked, [ChunkChoice(delta=Delta(), finish_reason=reply.finish)], reply.extension))
    if asked.completion.stream_options and asked.completion.stream_options.include_usage:
        chunks.append(_chunk(asked, [], usage=reply.usage))
    return chunks


def _call(asked: Asked, reply: MadeReply) -> MadeCall:
    return MadeCall(id=f"call_{asked.id}", function=FunctionCall(name=reply.function, arguments=reply.text))


def _id(asked: Asked) -> str:
    return f"chatcmpl-{asked.id}"


def _sent(asked: Asked, delta: Delta) -> ServerSentEvent:
    return _chunk(asked, [ChunkChoice(delta=delta)])


def _chunk(
    asked: Asked,
    choices: list[ChunkChoice],
    extension: Extension | None = None,
    usage: CompletionUsage | None = None,
) -> ServerSentEvent:
    made = ChatChunk(
        id=_id(asked),
        created=asked.created,
        model=asked.completion.model,
        choices=choices,
        usage=usage,
        graphtalk=extension,
    )
    return ServerSentEvent(made.model_dump_json(exclude_none=True))
