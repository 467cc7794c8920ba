"""`POST /agent/chat`: the shapes of two earlier systems, one of which streamed its progress, text and telemetry."""

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from pydantic import BaseModel, ConfigDict, Field
from sse_starlette.event import JSONServerSentEvent
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from core.app.services import Services
from core.interfaces.http.access import WRITE, Caller, ServicesDep
from core.interfaces.http.asking import DEFAULT_WORKFLOW, QuestionIn, request_of
from core.interfaces.http.streams import ended_run, events_response, read_events, wants_events
from core.interfaces.http.v1.shapes import CitationOut, citation_out
from core.interfaces.http.v1.streaming import SSE_DOCUMENTED
from core.interfaces.http.waiting import in_own_thread
from core.people.api_keys import ApiKey
from core.platform.errors import NotFoundError
from core.runs.events import (
    AnswerDelta,
    AnswerReady,
    AnswerReset,
    Event,
    NodeFinished,
    NodeStarted,
    RunStarted,
    ToolCalled,
)
from core.runs.model import MAX_QUESTION, AnswerOutcome, Run

router = APIRouter(tags=["agent"])
_TELEMETRY = "telemetry"


class AgentQuestion(BaseModel):
    """Unknown fields are ignored, as those systems did."""

    model_config = ConfigDict(extra="ignore")

    message: str = Field(min_length=1, max_length=MAX_QUESTION, examples=["When was it founded?"])
    knowledge_base_name: str = Field(default="", max_length=200, description="name or id")
    session_id: str = Field(default="", max_length=200, description="any name of your own; it keeps its conversation")
    workflow: str = Field(default=DEFAULT_WORKFLOW, max_length=100)
    stream: bool = Field(default=False, description="the same as Accept: text/event-stream")


class Telemetry(BaseModel):
    trace_id: str = Field(description="the id of the run")
    intent: str
    used_tools: list[str]
    user_language: str
    is_out_of_scope: bool
    prompt_versions: str = Field(description="of the prompts sent to a model; of all prompts if none was sent")


class AgentAnswer(Telemetry):
    session_id: str
    answer: str
    outcome: str
    citations: list[CitationOut]
    error: str


@router.post(
    "/agent/chat", dependencies=[WRITE], response_model=AgentAnswer, responses={200: {"content": SSE_DOCUMENTED}}
)
async def agent_chat(services: ServicesDep, key: Caller, asked: AgentQuestion, accept: str = Header("")) -> Response:
    """As JSON, or as events: `progress` for each node, `token` for pieces of the answer, `reset` when those so far are
    withdrawn, and at the end `answer` with all that the JSON has. The pieces since the last `reset` are its text.

    A program that leaves the stream stops the run.
    """
    run_id = await in_own_thread(_started, services, key, asked)
    if asked.stream or wants_events(accept):
        response: Response = events_response(_stream(services, run_id, asked.session_id))
    else:
        run, events = await ended_run(services, run_id)
        response = JSONResponse(_answer(run, events, asked.session_id).model_dump(mode="json"))
    response.headers["X-Run-Id"] = run_id
    return response


async def _stream(services: Services, run_id: str, session_id: str) -> AsyncGenerator[JSONServerSentEvent]:
    received, written = list[Event](), ""
    async with aclosing(read_events(services, run_id)) as events:
        async for number, event in events:
            received.append(event)
            if isinstance(event, NodeStarted):
                yield _sent(number, "progress", node=event.node, status="started")
            elif isinstance(event, NodeFinished):
                yield _sent(number, "progress", node=event.node, status="finished", outcome=event.outcome)
            text = _answer_after(event, written)
            if not text.startswith(written):
                yield _sent(number, "reset")
                written = ""
            if text != written:
                yield _sent(number, "token", text=text[len(written) :])
            written = text
    run = await run_in_threadpool(services.runs.get, run_id)
    yield JSONServerSentEvent(_answer(run, received, session_id).model_dump(mode="json"), event="answer")


def _answer_after(event: Event, written: str) -> str:
    """The answer after the event."""
    match event:
        case AnswerDelta():
            return written + event.text
        case AnswerReady():
            return event.text
        case AnswerReset() | RunStarted():  # restarted by another process
            return ""
    return written


def _sent(number: int, name: str, **data: str) -> JSONServerSentEvent:
    """An event with the number that it has at /runs/{id}/events."""
    return JSONServerSentEvent(data, event=name, id=str(number))


def _started(services: Services, key: ApiKey, asked: AgentQuestion) -> str:
    """Starts a run in the key's conversation of this name, or in a new one that gets the name."""
    sessions, named = services.storage.access.api_sessions, asked.session_id
    question = QuestionIn(
        question=asked.message,
        base=asked.knowledge_base_name,
        workflow=asked.workflow,
        thread_id=_thread_of(services, key, named),
    )
    run_id = services.worker.start(request_of(services, key, question))
    if named and not question.thread_id:
        sessions.keep(key.id, named, services.runs.get(run_id).thread_id)
    return run_id


def _thread_of(services: Services, key: ApiKey, session_id: str) -> str:
    """Empty for a new session, and for one whose conversation was deleted."""
    found = services.storage.access.api_sessions.thread(key.id, session_id) if session_id else ""
    try:
        return services.threads.get(found or session_id).id if session_id else ""
    except NotFoundError:
        return ""


def _answer(run: Run, events: Sequence[Event], session_id: str) -> AgentAnswer:
    return AgentAnswer(
        **telemetry_of(run, events).model_dump(),
        session_id=session_id or run.thread_id,
        answer=run.answer,
        outcome=run.outcome,
        citations=[citation_out(citation) for citation in run.citations],
        error=run.error,
    )


def telemetry_of(run: Run, events: Sequence[Event]) -> Telemetry:
    """Values of the node `telemetry`; fields that only it knows are empty for workflows without it."""
    notes = [dict(event.details) for event in events if isinstance(event, NodeFinished) and event.node == _TELEMETRY]
    noted = notes[-1] if notes else {}
    planned = [name for name in noted.get("tools", "").split(", ") if name]
    called = [event.tool for event in events if isinstance(event, ToolCalled)]
    return Telemetry(
        trace_id=run.id,
        intent=noted.get("intent", ""),
        used_tools=list(dict.fromkeys([*called, *planned])),
        user_language=noted.get("language", ""),
        is_out_of_scope=run.outcome == AnswerOutcome.OUT_OF_SCOPE,
        prompt_versions=noted.get("prompts", ""),
    )
