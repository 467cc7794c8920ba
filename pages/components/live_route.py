"""The route that a page follows a run by: the log's events, folded and drawn here, sent as HTML that changed.

The script of the page ends at once, so nothing a reader clicks can interrupt an answer, and a reload or a second tab
simply follows again.
"""

import asyncio
import json
from collections.abc import AsyncIterator

from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from core.domain.runs import RunStatus
from core.runs.view import RunView
from core.texts import LANGUAGES
from pages.components.language import language, speaking
from pages.components.run_html import run_parts
from pages.components.run_views import caught_up, evidence_of
from pages.components.tokens import PARAMETER, is_signed, signed
from pages.components.turn_html import turn_parts
from pages.components.workflow_choices import pictures_ready

INTERVAL_SECONDS = 0.04
"""At most 25 repaints a second."""
CONNECTION_SECONDS = 10.0
"""The browser connects again by itself; a server that stops never waits longer than this."""
Changes = dict[str, list[tuple[str, str]]]


def live_address(run_id: str) -> str:
    return signed(_path(run_id, language()))


async def live(request: Request) -> Response:
    """404 for every address that no page of this process gave out."""
    run_id, interface = request.path_params["run_id"], request.path_params["language"]
    if not is_signed(_path(run_id, interface), request.query_params.get(PARAMETER, "")) or interface not in LANGUAGES:
        return PlainTextResponse("not found", status_code=404)
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_messages(Follower(run_id, interface)), media_type="text/event-stream", headers=headers)


class Follower:
    """Knows what a browser has been sent and finds what has changed since."""

    def __init__(self, run_id: str, interface: str) -> None:
        self.run_id = run_id
        self.interface = interface
        self.view, self.after = RunView(), 0
        self.pictured = False
        self.sent: dict[tuple[str, str], str] = {}

    def poll(self) -> tuple[Changes, bool]:
        """The parts that changed, by component, and whether nothing more will."""
        before = (self.view, self.pictured)
        self.view, self.after = caught_up(self.run_id, self.view, self.after)
        self.pictured = pictures_ready()
        ended = self.view.status is not RunStatus.RUNNING and self.pictured
        if self.sent and before[0] is self.view and before[1] == self.pictured:
            return {}, ended
        with speaking(self.interface):
            drawn = {"turn": turn_parts(self.view, evidence_of(self.view)), "run": run_parts(self.view)}
        return {kind: fresh for kind, parts in drawn.items() if (fresh := self._fresh(kind, parts))}, ended

    def _fresh(self, kind: str, parts: list[tuple[str, str]]) -> list[tuple[str, str]]:
        fresh = [(name, html) for name, html in parts if self.sent.get((kind, name)) != html]
        self.sent.update({(kind, name): html for name, html in fresh})
        return fresh


async def _messages(follower: Follower) -> AsyncIterator[str]:
    loop = asyncio.get_running_loop()
    until = loop.time() + CONNECTION_SECONDS
    yield "retry: 100\n\n"
    while loop.time() < until:
        changes, ended = await asyncio.to_thread(follower.poll)
        if changes:
            yield f"data: {json.dumps(changes, ensure_ascii=False)}\n\n"
        if ended:
            yield "event: end\ndata: {}\n\n"
            return
        await asyncio.sleep(INTERVAL_SECONDS)


def _path(run_id: str, interface: str) -> str:
    return f"/runs/{run_id}/live/{interface}"


LIVE_ROUTES = (Route("/runs/{run_id}/live/{language}", live),)
