"""Route that streams the HTML of a run as it changes.

The script of the page ends at once, so nothing a reader clicks can interrupt an answer, and a reload or a second tab
simply follows again.
"""

import asyncio
import json
from collections.abc import AsyncGenerator
from dataclasses import replace

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from core.platform.errors import NotFoundError
from core.platform.texts import LANGUAGES
from core.runs.execution.writer import AsyncSignal
from core.runs.history.view import RunView
from core.runs.model import RunStatus
from pages.components.chat.workflow_choices import pictures_ready
from pages.components.run.run_html import run_parts
from pages.components.run.run_views import caught_up, evidence_of
from pages.components.run.turn_html import answer_part, state_part, turn_parts
from pages.components.shell.language import language, use_language
from pages.components.shell.services import services
from pages.components.shell.text import Html
from pages.components.shell.tokens import is_issued, not_found, signed

INTERVAL_SECONDS = 0.04
"""At most 25 repaints a second."""
BURST_SECONDS = 0.004
"""Runs emit events in bursts; the first one waits briefly for the rest."""
POLL_SECONDS = 0.25
"""Interval without news from a run of this process; other runs are checked in the log at every interval."""
CONNECTION_SECONDS = 10.0
"""The browser reconnects by itself; a stopping server never waits longer than this."""
Changes = dict[str, list[tuple[str, Html]]]


def live_address(run_id: str) -> str:
    return signed(f"/runs/{run_id}/live/{language()}")


async def live(request: Request) -> Response:
    """Stream a run; 404 for every address not issued by a page of this process."""
    run_id, interface = request.path_params["run_id"], request.path_params["language"]
    if not is_issued(request) or interface not in LANGUAGES:
        return not_found()
    try:
        await asyncio.to_thread(services().runs.get, run_id)
    except NotFoundError:  # or of somebody else: the address may have been passed on
        return not_found()
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    follower = await asyncio.to_thread(Follower, run_id, interface)
    return StreamingResponse(messages(follower), media_type="text/event-stream", headers=headers)


class Follower:
    """State of one browser's stream: what it has received, and what has changed since."""

    def __init__(self, run_id: str, interface: str) -> None:
        self.run_id = run_id
        self.interface = interface
        self.worker = services().worker
        self.view, self.after = RunView(), 0
        """As last drawn, and the number of the last logged event in it; 0 if the view did not come from the log."""
        self.pictured = False
        self.sent: dict[tuple[str, str], str] = {}

    def poll(self) -> tuple[Changes, bool]:
        """The changed parts, by component, and whether the run is complete. May read the log."""
        before = (self.view, self.pictured)
        self._catch_up()
        self.pictured = pictures_ready()
        ended = self.view.status is not RunStatus.RUNNING and self.pictured
        if self.sent and before[0] is self.view and before[1] == self.pictured:
            return {}, ended
        with use_language(self.interface):
            drawn = {"turn": turn_parts(self.view, evidence_of(self.view)), "run": run_parts(self.view)}
        return self._fresh(drawn), ended

    def more(self) -> Changes | None:
        """The added part of the answer, without reading the log; None if something else may have changed."""
        live = self._live()
        only_answer = live and self.sent and replace(live, answer=self.view.answer) == self.view
        if live is None or not only_answer or self.pictured != pictures_ready():
            return None
        self.view, self.after = live, 0
        with use_language(self.interface):
            return self._fresh({"turn": [("state", state_part(live)), ("answer", answer_part(live))]})

    def _catch_up(self) -> None:
        if live := self._live():
            self.view, self.after = live, 0
        else:
            self.view, self.after = caught_up(self.run_id, self.view if self.after else None, self.after)

    def _live(self) -> RunView | None:
        """View of a run active in this process; None once it has ended, which is read from the log."""
        view = self.worker.view(self.run_id)
        return view if view and view.status is RunStatus.RUNNING else None

    def _fresh(self, drawn: Changes) -> Changes:
        changes = {
            kind: [(name, html) for name, html in parts if self.sent.get((kind, name)) != html]
            for kind, parts in drawn.items()
        }
        self.sent.update({(kind, name): html for kind, parts in changes.items() for name, html in parts})
        return {kind: parts for kind, parts in changes.items() if parts}


async def messages(follower: Follower) -> AsyncGenerator[str]:
    """Server-sent events, until the run is complete or the connection has lasted long enough."""
    loop, news = asyncio.get_running_loop(), AsyncSignal()
    due = loop.time()
    until = due + CONNECTION_SECONDS
    yield "retry: 100\n\n"
    with follower.worker.listening(follower.run_id, news.tell):
        while (now := loop.time()) < until:
            due = max(due, now - INTERVAL_SECONDS) + INTERVAL_SECONDS
            news.take()
            changes, ended = follower.more(), False
            if changes is None:
                changes, ended = await asyncio.to_thread(follower.poll)
            if changes:
                yield f"data: {json.dumps(changes, ensure_ascii=False)}\n\n"
            if ended:
                yield "event: end\ndata: {}\n\n"
                return
            await news.wait(POLL_SECONDS if follower.after == 0 else INTERVAL_SECONDS)
            await asyncio.sleep(max(BURST_SECONDS, due - loop.time()))


LIVE_ROUTES = (Route("/runs/{run_id}/live/{language}", live),)
