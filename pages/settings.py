"""Settings: which engine answers, what it may spend, what leaves the machine, and how this installation is."""

import streamlit as st

from pages.components.frame import require_frame
from pages.components.language import t
from pages.components.services import services
from pages.components.settings_about import about_section
from pages.components.settings_documents import documents_section
from pages.components.settings_limits import limits_section
from pages.components.settings_model import model_section
from pages.components.settings_prices import prices_section
from pages.components.settings_terms import terms_section
from pages.components.settings_web import web_section

require_frame()

opened = services()
st.title(t("frame.rooms.settings"), anchor=False)
st.caption(t("settings.promise"))
SECTIONS = {
    "model": model_section,
    "web": web_section,
    "documents": documents_section,
    "limits": limits_section,
    "prices": prices_section,
    "terms": terms_section,
    "about": about_section,
}
with st.container(key="settings-page"):
    tabs = st.tabs([t(f"settings.{name}.title") for name in SECTIONS], key="settings-tabs")
for tab, section in zip(tabs, SECTIONS.values(), strict=True):
    with tab:
        section(opened)
