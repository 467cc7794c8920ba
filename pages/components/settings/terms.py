"""The sensitive terms that the guarded workflow looks for."""

from typing import TYPE_CHECKING

import streamlit as st

from core.agents.nodes.check.compliance_rules import DEFAULT_TERMS
from core.platform.settings.preferences import TERMS_FILE, terms_text
from pages.components.settings.fields import confirm, note_change, said
from pages.components.shell.boundary import succeeds
from pages.components.shell.language import t

if TYPE_CHECKING:
    from core.app.services import Services


def terms_section(services: "Services") -> None:
    st.markdown(t("settings.terms.about"))
    said("terms")
    own = services.settings.sensitive_terms
    with st.form("settings-terms", border=False):
        lines = "\n".join(DEFAULT_TERMS if own is None else own)
        wanted = st.text_area(t("settings.terms.label"), lines, height=260, help=t("settings.terms.help"))
        with st.container(horizontal=True):
            wants_save = st.form_submit_button(t("settings.save"), type="primary")
            wants_default = st.form_submit_button(t("settings.terms.restore"), disabled=own is None)
    if wants_save:
        _keep(services, wanted.splitlines())
    if wants_default:
        _keep(services, None)


def _keep(services: "Services", terms: list[str] | None) -> None:
    keep = services.configuration.keep
    if succeeds(lambda: keep({TERMS_FILE: None if terms is None else terms_text(terms)})):
        note_change(services, "sensitive_terms")
        confirm("terms")
