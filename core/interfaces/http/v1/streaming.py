"""Routes with server-sent events: progress of a document, events of a run, questions and their answers."""

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field
from sse_starlette.event import JSONServerSentEvent
from sse_starlette.sse import EventSourceResponse
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response

from core.app.services import Services
from core.interfaces.http.access import ASK, READ, Caller, ServicesDep
from core.interfaces.http.asking import AnsweredQuestion, QuestionIn, answered, request_of
from core.interfaces.http.streams import document_states, ended_run, events_response, run_events, wants_events
from core.interfaces.http.v1.documents import ProgressOut, progress_out
from core.interfaces.http.v1.shapes import MOST_SKIPPED, Skip
from core.interfaces.http.waiting import in_own_thread
from core.runs.events import Event

router = APIRouter()
SSE_DOCUMENTED: dict[str, dict[str, object]] = {"text/event-stream": {}}


class LoggedEvent(BaseModel):
    """One event of a run; the page draws the run from the same ones."""

    number: int = Field(description="rises by one; the id of the server-sent event")
    type: str = Field(description="the name of the event's schema; the event of the server-sent event")
    event: Event


@router.get(
    "/documents/{document_id}/progress",
    tags=["documents"],
    dependencies=[ASK],
    response_class=EventSourceResponse,
    responses={200: {"content": SSE_DOCUMENTED, "model": ProgressOut}},
)
async def follow_document(services: ServicesDep, document_id: str) -> EventSourceResponse:
    """Events `progress` with the document and its stages whenever something changes, then one event `end`."""
    await run_in_threadpool(services.library.documents.get, document_id)
    return events_response(_progress(services, document_id))


@router.get(
    "/runs/{run_id}/events",
    tags=["runs"],
    dependencies=[READ],
    response_model=list[LoggedEvent],
    responses={200: {"content": SSE_DOCUMENTED}},
)
async def list_events(
    services: ServicesDep,
    run_id: str,
    after: Skip = 0,
    accept: str = Header(""),
    last_event_id: int = Header(0, ge=0, le=MOST_SKIPPED),
) -> Response:
    """As JSON what has been logged so far; with `Accept: text/event-stream` also what follows, up to the end.

    A further `RunStarted` means that the run begins anew, as another process has taken it over.
    """
    await run_in_threadpool(services.runs.get, run_id)
    if wants_events(accept):
        return events_response(event_stream(services, run_id, after or last_event_id))
    logged = await run_in_threadpool(services.runs.events, run_id, after)
    return JSONResponse([as_logged(number, event).model_dump(mode="json") for number, event in logged])


async def event_stream(services: Services, run_id: str, after: int = 0) -> AsyncGenerator[JSONServerSentEvent]:
    """The events of a run, each under its name."""
    async for number, event in run_events(services, run_id, after):
        logged = as_logged(number, event)
        yield JSONServerSentEvent(logged.model_dump(mode="json"), event=logged.type, id=str(number))


def as_logged(number: int, event: Event) -> LoggedEvent:
    return LoggedEvent(number=number, type=type(event).__name__, event=event)


async def _progress(services: Services, document_id: str) -> AsyncGenerator[JSONServerSentEvent]:
    async for document, stages in document_states(services, document_id):
        yield JSONServerSentEvent(progress_out(document, stages).model_dump(mode="json"), event="progress")
    yield JSONServerSentEvent({}, event="end")


@router.post("/ask", tags=["ask"], response_model=AnsweredQuestion, responses={200: {"content": SSE_DOCUMENTED}})
async def ask(services: ServicesDep, key: Caller, asked: QuestionIn, accept: str = Header("")) -> Response:
    """With `Accept: text/event-stream` every event of the run under its name, and at the end `answer` with all that the
    JSON has; else the answer when it is complete.

    The run goes on if the connection breaks: read it at /runs/{id}, or stop it at /runs/{id}/stop.
    """
    run_id = await in_own_thread(lambda: services.worker.start(request_of(services, key, asked)))
    if wants_events(accept):
        response: Response = events_response(_events_and_answer(services, run_id))
    else:
        response = JSONResponse(answered(*await ended_run(services, run_id)).model_dump(mode="json"))
    response.headers["X-Run-Id"] = run_id
    return response


async def _events_and_answer(services: Services, run_id: str) -> AsyncGenerator[JSONServerSentEvent]:
    async for event in event_stream(services, run_id):
        yield event
    answer = answered(*await ended_run(services, run_id))
    yield JSONServerSentEvent(answer.model_dump(mode="json"), event="answer")
