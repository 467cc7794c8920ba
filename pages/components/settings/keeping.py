"""Retention of the texts of runs' steps."""

from typing import TYPE_CHECKING

import streamlit as st

from core.platform.settings.settings import bounds
from pages.components.settings.fields import keep, origin, said
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services

DAYS = "KEEP_RUN_TEXTS_DAYS"


def keeping_section(services: "Services") -> None:
    st.markdown(f"**{t('settings.keeping.title')}**")
    st.markdown(t("settings.keeping.about"))
    said("keeping")
    kept = services.settings.keep_run_texts_days
    with st.form("settings-keeping", border=False):
        days = st.number_input(t("settings.keeping.days"), *bounds("keep_run_texts_days"), kept, width=320)
        wants_save = st.form_submit_button(t("settings.save"))
    if wants_save:
        keep(services, {DAYS: str(days)}, "keeping")
    origin(services, (DAYS,), "keeping")
