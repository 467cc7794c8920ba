"""What happens when the server starts and stops: the services open while the first page is already being drawn."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st

from pages.components.services import close_services, services
from pages.components.workflow_choices import prepare_pictures


@asynccontextmanager
async def lifespan(app: st.App) -> AsyncIterator[dict[str, object]]:
    del app
    threading.Thread(target=_warm_up, name="warm-up", daemon=True).start()
    yield {}
    await asyncio.to_thread(close_services)


def _warm_up() -> None:
    """What the first question and the first picture of a workflow would otherwise wait for."""
    opened = services()
    opened.worker.recover()
    opened.supervisor.start()
    prepare_pictures()
    opened.drawing.warm()
    opened.warm()
