"""The core's services, opened once a process; the only file of the pages that knows the composition root."""

import threading
from typing import TYPE_CHECKING

import streamlit as st

if TYPE_CHECKING:
    from core.bootstrap.services import Services

opened = threading.Event()
"""Set when the services were opened."""
first_page = threading.Event()
"""Set when a page was drawn for the first time: what can wait, waits for it."""


@st.cache_resource(show_spinner=False)
def services() -> "Services":
    """Waits while another thread opens them. Raises AppError when the data folder or a setting cannot be used."""
    from core.bootstrap.services import Services
    from core.settings.settings import load_settings

    made = Services(load_settings())
    opened.set()
    return made


def close_services() -> None:
    """Stop what runs in the background; nothing to do when nothing was opened."""
    if opened.is_set():
        services().close()
