"""What happens when the server starts and stops: the services open while the first page is already being drawn."""

import asyncio
import threading
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.components.chat.workflow_choices import prepare_pictures
from pages.components.shell.garbage import collect_when_idle
from pages.components.shell.services import close_services, first_page, services

PATIENCE_SECONDS = 5.0
"""For a browser that opens the app as it starts; without one, what waits in the data folder goes on."""
DRAWING_SECONDS = 1.0
"""That the browser needs for the page; both cores are its own meanwhile."""


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, object]]:
    del app
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
    yield {}
    await asyncio.to_thread(close_services)


def _warm_up() -> None:
    """What the first question and the first picture of a workflow would otherwise wait for, after the first page."""
    opened = services()
    opened.worker.recover()
    if first_page.wait(PATIENCE_SECONDS):
        time.sleep(DRAWING_SECONDS)
    opened.ingestion.supervisor.start()
    prepare_pictures()
    opened.drawing.warm()
    opened.warm()
    collect_when_idle()
