"""Questions: answered as JSON, or as the events of the run while it happens."""

from collections.abc import AsyncGenerator

from fastapi import APIRouter, Header
from fastapi.responses import JSONResponse
from sse_starlette.event import JSONServerSentEvent
from starlette.responses import Response

from core.app.services import Services
from core.interfaces.http.access import Caller, ServicesDep
from core.interfaces.http.asking import AnsweredQuestion, QuestionIn, answered, request_of
from core.interfaces.http.streams import ended_run, events_response, wants_events
from core.interfaces.http.v1.streaming import SSE_DOCUMENTED, event_stream
from core.interfaces.http.waiting import in_own_thread

router = APIRouter(tags=["ask"])


@router.post("/ask", response_model=AnsweredQuestion, responses={200: {"content": SSE_DOCUMENTED}})
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
