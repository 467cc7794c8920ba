"""Live events of runs and states of documents, for routes with server-sent events. Every stream ends."""

import asyncio
import logging
import time
from collections.abc import AsyncGenerator
from contextlib import aclosing

from sse_starlette.event import ServerSentEvent
from sse_starlette.sse import EventSourceResponse

from core.app.services import Services
from core.documents.model import ACTIVE, Document, StageProgress
from core.interfaces.http.waiting import until_available
from core.platform.errors import AppError, NotFoundError
from core.runs.events import END_EVENTS, Event, RunFailed, RunStarted
from core.runs.execution.writer import INTERVAL_SECONDS, AsyncSignal
from core.runs.history.view import INTERRUPTED
from core.runs.model import Run, RunStatus

POLL_SECONDS = 0.25
LOGGED_SECONDS = INTERVAL_SECONDS + 0.02
"""Time from an event in this process until it is in the log."""
MARGIN_SECONDS = 240.0
"""Time beyond the limit of a question, for a free thread and for consent to a web search."""
PROGRESS_SECONDS = 3600.0
SEND_SECONDS = 30.0
"""Time after which a reader who accepts no data is disconnected."""
SSE = "text/event-stream"
_LOG = logging.getLogger(__name__)


def events_response(events: AsyncGenerator[ServerSentEvent]) -> EventSourceResponse:
    """Pings keep proxies from closing it; a stopping server ends it."""
    return EventSourceResponse(_while_possible(events), ping=15, send_timeout=SEND_SECONDS)


async def _while_possible(events: AsyncGenerator[ServerSentEvent]) -> AsyncGenerator[ServerSentEvent]:
    """Ends where what it tells of was deleted, or the database stays away: its status has been sent."""
    async with aclosing(events):
        try:
            async for event in events:
                yield event
        except AppError as error:
            _LOG.warning("a stream ends early: %s", error)


def wants_events(accept: str) -> bool:
    return SSE in accept.lower()


async def run_events(services: Services, run_id: str, after: int = 0) -> AsyncGenerator[tuple[int, Event]]:
    """(number, event) of a run of any process, up to its last event. Raises NotFoundError.

    A run whose process died, or that is silent beyond its time limit, ends with a RunFailed that is not logged.
    """
    log, worker, news = services.runs, services.worker, AsyncSignal()
    await asyncio.to_thread(log.get, run_id)
    until = time.monotonic() + services.settings.max_seconds + MARGIN_SECONDS
    last, owner = after, ""
    with worker.listening(run_id, news.tell):
        while True:
            news.take()
            for number, event in await until_available(log.events, run_id, last):
                last = number
                owner = event.owner if isinstance(event, RunStarted) else owner
                yield number, event
                if isinstance(event, END_EVENTS):
                    return
            if time.monotonic() > until or await until_available(_is_over, services, run_id, owner):
                for number, event in await until_available(log.events, run_id, last):
                    last = number
                    yield number, event
                    if isinstance(event, END_EVENTS):
                        return
                yield last + 1, RunFailed(INTERRUPTED)
                return
            await news.wait(POLL_SECONDS)
            await asyncio.sleep(LOGGED_SECONDS)


async def read_events(services: Services, run_id: str) -> AsyncGenerator[tuple[int, Event]]:
    """run_events() of a run for this reader alone, which is stopped if the reader leaves before its end."""
    ended = False
    try:
        async with aclosing(run_events(services, run_id)) as events:
            async for number, event in events:
                ended = isinstance(event, END_EVENTS)
                yield number, event
    finally:
        if not ended:
            services.worker.stop(run_id)


def _is_over(services: Services, run_id: str, owner: str) -> bool:
    """Whether no more events can arrive."""
    try:
        status = services.runs.get(run_id).status
    except NotFoundError:
        return True
    return status is not RunStatus.RUNNING or bool(owner and not services.worker.is_alive(run_id, owner))


async def ended_run(services: Services, run_id: str) -> tuple[Run, list[Event]]:
    """The run at its end, and all its events."""
    async with aclosing(run_events(services, run_id)) as events:
        received = [event async for _, event in events]
    return await until_available(services.runs.get, run_id), received


async def document_states(
    services: Services, document_id: str, seconds: float = PROGRESS_SECONDS
) -> AsyncGenerator[tuple[Document, list[StageProgress]]]:
    """Yields each change, until the document is settled or deleted, or the time is over."""
    until, shown = time.monotonic() + seconds, None
    while time.monotonic() < until:
        try:
            state = await until_available(_state_of, services, document_id)
        except NotFoundError:
            return
        if state != shown:
            yield state
            shown = state
        if state[0].status not in ACTIVE:
            return
        await asyncio.sleep(POLL_SECONDS)


def _state_of(services: Services, document_id: str) -> tuple[Document, list[StageProgress]]:
    library = services.library
    return library.documents.get(document_id), library.ingest_records.stages(document_id)
