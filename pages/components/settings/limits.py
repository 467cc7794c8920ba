"""The budget of a question."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.settings.fields import number_form, said
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services

FIELDS = {
    "MAX_MODEL_CALLS": ("settings.limits.calls", 1),
    "MAX_TOKENS": ("settings.limits.tokens", 1_000),
    "MAX_SECONDS": ("settings.limits.seconds", 1),
    "MAX_TOOL_CALLS": ("settings.limits.tools", 1),
    "MAX_CORRECTIONS": ("settings.limits.corrections", 1),
    "MAX_TOOL_ROUNDS": ("settings.limits.rounds", 1),
}


def limits_section(services: "Services") -> None:
    st.markdown(t("settings.limits.about"))
    said("limits")
    number_form(services, "limits", FIELDS)
