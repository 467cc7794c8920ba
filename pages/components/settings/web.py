"""Web search: API key, and whether the user is asked before a query is sent."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.settings.fields import keep, origin, remove_button, said, secret_field, tested
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services

NAMES = ("TAVILY_API_KEY", "TAVILY_BASE_URL", "WEB_ASK_FIRST")
QUERY = "GraphTalk"
_KEY = "settings-tavily-key"


def web_section(services: "Services") -> None:
    st.markdown(t("settings.web.about"))
    said("web")
    settings = services.settings
    has_key = services.answering.web_configured
    with st.form("settings-web", border=False):
        key = secret_field(t("settings.web.key"), has_key, _KEY)
        base_url = st.text_input(
            t("settings.web.base_url"), settings.tavily_base_url, placeholder="https://api.tavily.com"
        )
        ask = st.toggle(t("settings.web.ask"), settings.web_ask_first, help=t("settings.web.ask_help"))
        with st.container(horizontal=True):
            wants_test = st.form_submit_button(t("settings.web.test", query=QUERY), icon=":material/travel_explore:")
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
    changes: dict[str, str | None] = {"TAVILY_BASE_URL": base_url.strip(), "WEB_ASK_FIRST": str(ask).lower()}
    if key or base_url.strip() != settings.tavily_base_url:
        changes["TAVILY_API_KEY"] = key
    if wants_test:
        tested(lambda: t("settings.web.found", count=services.try_web(changes, QUERY)))
    if wants_save:
        keep(services, changes, "web", _KEY)
    remove_button(services, "TAVILY_API_KEY", has_key, "web")
    origin(services, NAMES, "web")
