"""The core's services, opened once per process; the only page module that uses the composition root."""

import threading
from typing import TYPE_CHECKING

import streamlit as st

from core.app.logs import log_to_standard_error
from core.platform.settings.settings import load_settings
from pages.components.shell.sign_in import sign_in_configured

if TYPE_CHECKING:
    from core.app.services import Services

opened = threading.Event()
"""Set when the services are open."""
first_page = threading.Event()
"""Set when the first page has been drawn; background work waits for it."""


@st.cache_resource(show_spinner=False)
def services() -> "Services":
    """Services of the process; waits while they are opened. Raises AppError for an unusable data folder."""
    from core.app.services import Services

    settings = load_settings()
    log_to_standard_error(settings.log_format)
    made = Services(settings, shared=sign_in_configured())
    opened.set()
    return made


def drain_services() -> None:
    """Wait for running questions, up to the limit of the settings, and refuse new ones."""
    if opened.is_set():
        services().answering.drain()


def close_services() -> None:
    """Stop background work; does nothing if the services were never opened."""
    if opened.is_set():
        services().close()
