"""Finds model servers on this machine on request; a click fills the form and tests it."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import streamlit as st

from core.models.providers import LookedAt, Presence
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

if TYPE_CHECKING:
    from core.app.services import Services

_FOUND = "settings-local-found"
Use = Callable[[str, str], None]
"""(base URL, model) -> None"""
ICONS = {Presence.MODELS: ":material/check_circle:", Presence.NOBODY: ":material/remove:"}
"""Icons by presence; any other one is shown as a warning."""


def local_models(services: "Services", use: Use) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="settings-local"):
        if st.button(t("settings.local.look"), icon=":material/search:", key="settings-local-look"):
            with st.spinner(t("settings.local.looking")):
                st.session_state[_FOUND] = services.look_for_models()
        st.caption(t("settings.local.promise"), width="content")
    found: tuple[LookedAt, ...] = st.session_state.get(_FOUND, ())
    if not found:
        return
    with st.container(border=True, key="settings-local-found-list"):
        for looked in found:
            _server(looked, use)


def _server(looked: LookedAt, use: Use) -> None:
    server = looked.server
    icon = ICONS.get(looked.presence, ":material/warning:")
    words = t(f"settings.local.{looked.presence}", count=len(looked.models))
    st.markdown(f"{icon} **{markdown_of(server.name)}** `{server.address}` {words}")
    if not looked.models:
        return
    with st.container(horizontal=True, vertical_alignment="bottom"):
        label = t("settings.local.model", name=server.name)
        model = st.selectbox(label, looked.models, key=f"settings-local-{server.port}", label_visibility="collapsed")
        st.button(
            t("settings.local.use"),
            key=f"settings-local-use-{server.port}",
            on_click=use,
            args=(server.base_url, model),
            width="content",
        )
