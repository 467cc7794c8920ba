"""`POST /v1/chat/completions`: a workflow asked as a model. The program keeps the conversation and sends it along."""

import time
from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field

from fastapi import APIRouter
from fastapi.responses import JSONResponse
from sse_starlette.event import JSONServerSentEvent, ServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from core.app.services import Services
from core.interfaces.http.access import Opened, Reader
from core.interfaces.http.asking import QuestionIn, answered, request_of
from core.interfaces.http.openai.answer_text import StreamedText, footnotes, without_footnotes, without_pictures
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
)
from core.interfaces.http.openai.models import workflow_and_base
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.streams import ended_run, events_response, run_events
from core.interfaces.http.v1.streaming import SSE_DOCUMENTED
from core.people.api_keys import ApiKey
from core.runs.events import END_EVENTS, Event
from core.runs.model import MAX_QUESTION, Run, RunStatus, Turn

router = APIRouter(prefix="/v1", tags=["openai"])
_DONE = "[DONE]"


@dataclass(frozen=True, slots=True)
class _Asked:
    services: Services
    completion: Completion
    run_id: str
    created: int = field(default_factory=lambda: int(time.time()))

    @property
    def id(self) -> str:
        return f"chatcmpl-{self.run_id}"


@router.post("/chat/completions", response_model=ChatCompletion, responses={200: {"content": SSE_DOCUMENTED}})
async def complete(services: Opened, key: Reader, completion: Completion) -> Response:
    """Citations are in the field `graphtalk`, and as footnotes below the text. A stream that the program gives up
    stops the run."""
    run_id = await run_in_threadpool(_started, services, key, completion)
    asked = _Asked(services, completion, run_id)
    if completion.stream:
        return events_response(_stream(asked))
    run, events = await ended_run(services, run_id)
    if run.status is not RunStatus.DONE:
        raise _failed(run)
    text = without_pictures(run.answer) + (footnotes(run.citations) if completion.footnotes else "")
    made = ChatCompletion(
        id=asked.id,
        created=asked.created,
        model=completion.model,
        choices=[ChatChoice(message=CompletionMessage(content=text))],
        usage=_usage(run),
        graphtalk=_extension(run, events),
    )
    return JSONResponse(made.model_dump(mode="json"))


async def _stream(asked: _Asked) -> AsyncGenerator[ServerSentEvent]:
    text, told = StreamedText(), list[Event]()
    ended = False
    try:
        yield _sent(asked, Delta(role="assistant", content=""))
        async with aclosing(run_events(asked.services, asked.run_id)) as events:
            async for _, event in events:
                told.append(event)
                ended = isinstance(event, END_EVENTS)
                if piece := text.pieces(event):
                    yield _sent(asked, Delta(content=piece))
    finally:
        if not ended:
            asked.services.worker.stop(asked.run_id)
    run = await run_in_threadpool(asked.services.runs.get, asked.run_id)
    if run.status is RunStatus.DONE:
        last = text.end() + (footnotes(run.citations) if asked.completion.footnotes else "")
        if last:
            yield _sent(asked, Delta(content=last))
        yield _chunk(asked, [ChunkChoice(delta=Delta(), finish_reason="stop")], _extension(run, told))
        if asked.completion.stream_options and asked.completion.stream_options.include_usage:
            yield _chunk(asked, [], usage=_usage(run))
    else:
        refusal = _failed(run)
        error = {"message": str(refusal), "type": "server_error", "param": None, "code": refusal.key}
        yield JSONServerSentEvent({"error": error})
    yield ServerSentEvent(_DONE)


def _started(services: Services, key: ApiKey, completion: Completion) -> str:
    """The last message of the user is the question; what was said before is the conversation. Raises AppError."""
    said = [message for message in completion.messages if message.role in ("user", "assistant") and message.text]
    if not said or said[-1].role != "user" or not said[-1].text.strip():
        raise RefusedRequest(400, "api.problem.no_question")
    *before, last = said
    if len(last.text) > MAX_QUESTION:
        raise RefusedRequest(400, "run.question_too_long", length=f"{len(last.text):,}", limit=f"{MAX_QUESTION:,}")
    workflow, base = workflow_and_base(completion.model)
    history = tuple(Turn(message.role, without_footnotes(message.text)) for message in before)
    question = QuestionIn(question=last.text, base=completion.base or base, workflow=workflow)
    return services.worker.start(request_of(services, key, question, history))


def _sent(asked: _Asked, delta: Delta) -> ServerSentEvent:
    return _chunk(asked, [ChunkChoice(delta=delta)])


def _chunk(
    asked: _Asked,
    choices: list[ChunkChoice],
    extension: Extension | None = None,
    usage: CompletionUsage | None = None,
) -> ServerSentEvent:
    made = ChatChunk(
        id=asked.id,
        created=asked.created,
        model=asked.completion.model,
        choices=choices,
        usage=usage,
        graphtalk=extension,
    )
    return ServerSentEvent(made.model_dump_json(exclude_none=True))


def _usage(run: Run) -> CompletionUsage:
    prompt, written = run.usage.prompt_tokens, run.usage.completion_tokens
    return CompletionUsage(prompt_tokens=prompt, completion_tokens=written, total_tokens=prompt + written)


def _extension(run: Run, events: list[Event]) -> Extension:
    said = answered(run, events)
    return Extension(run_id=run.id, outcome=run.outcome, degraded=said.degraded, citations=said.citations)


def _failed(run: Run) -> RefusedRequest:
    return RefusedRequest(503, "api.problem.run", reason=run.error or run.status.value)
