"""The budget of a question."""

from typing import TYPE_CHECKING

import streamlit as st

from core.platform.settings.settings import bounds
from pages.components.settings.fields import keep, origin, said
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services

NAMES = ("MAX_MODEL_CALLS", "MAX_TOKENS", "MAX_SECONDS", "MAX_TOOL_CALLS", "MAX_CORRECTIONS", "MAX_TOOL_ROUNDS")


def limits_section(services: "Services") -> None:
    st.markdown(t("settings.limits.about"))
    said("limits")
    settings = services.settings
    with st.form("settings-limits", border=False):
        left, right = st.columns(2)
        calls = left.number_input(t("settings.limits.calls"), *bounds("max_model_calls"), settings.max_model_calls)
        tokens = right.number_input(t("settings.limits.tokens"), *bounds("max_tokens"), settings.max_tokens, 1_000)
        left, right = st.columns(2)
        seconds = left.number_input(t("settings.limits.seconds"), *bounds("max_seconds"), int(settings.max_seconds))
        tools = right.number_input(t("settings.limits.tools"), *bounds("max_tool_calls"), settings.max_tool_calls)
        left, right = st.columns(2)
        corrections = left.number_input(
            t("settings.limits.corrections"), *bounds("max_corrections"), settings.max_corrections
        )
        rounds = right.number_input(t("settings.limits.rounds"), *bounds("max_tool_rounds"), settings.max_tool_rounds)
        wants_save = st.form_submit_button(t("settings.save"), type="primary")
    if wants_save:
        values = (calls, tokens, seconds, tools, corrections, rounds)
        keep(services, {name: str(value) for name, value in zip(NAMES, values, strict=True)}, "limits")
    origin(services, NAMES, "limits")
