"""Layout of the Settings page, a tab for each section, and the budget of a question."""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import streamlit as st

from pages.components.settings.about import about_section
from pages.components.settings.api import api_section
from pages.components.settings.documents import documents_section
from pages.components.settings.fields import number_form, said
from pages.components.settings.model import model_section
from pages.components.settings.people import people_section
from pages.components.settings.prices import prices_section
from pages.components.settings.terms import terms_section
from pages.components.settings.web import web_section
from pages.components.shell.identity import may_administer
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured

if TYPE_CHECKING:
    from core.app.services import Services

BUDGET = {
    "MAX_MODEL_CALLS": ("settings.limits.calls", 1),
    "MAX_TOKENS": ("settings.limits.tokens", 1_000),
    "MAX_SECONDS": ("settings.limits.seconds", 1),
    "MAX_TOOL_CALLS": ("settings.limits.tools", 1),
    "MAX_CORRECTIONS": ("settings.limits.corrections", 1),
    "MAX_TOOL_ROUNDS": ("settings.limits.rounds", 1),
}
"""Limits of a question."""


def _limits_section(services: "Services") -> None:
    st.markdown(t("settings.limits.about"))
    said("limits")
    number_form(services, "limits", BUDGET)


SECTIONS: "Mapping[str, Callable[[Services], None]]" = {
    "model": model_section,
    "web": web_section,
    "documents": documents_section,
    "limits": _limits_section,
    "prices": prices_section,
    "terms": terms_section,
    "api": api_section,
    "about": about_section,
}
SEEN = "settings-seen"
"""Session key of the opened sections, which are drawn from then on so that typed values stay."""


def draw_settings() -> None:
    services().configuration.refresh()  # another process may have changed something
    st.title(t("frame.rooms.settings"), anchor=False)
    if may_administer():
        st.caption(t("settings.promise"))
    sections = _sections()
    with st.container(key="settings-page"):
        tabs = st.tabs([t(f"settings.{name}.title") for name in sections], key="settings-tabs", on_change="rerun")
    seen = st.session_state.setdefault(SEEN, set())
    seen.update(name for name, tab in zip(sections, tabs, strict=True) if tab.open)
    for tab, (name, section) in zip(tabs, sections.items(), strict=True):
        if name in seen:
            with tab:
                section(services())


def _sections() -> "Mapping[str, Callable[[Services], None]]":
    if not may_administer():
        return {"api": api_section}
    return {**SECTIONS, "people": people_section} if sign_in_configured() else SECTIONS
