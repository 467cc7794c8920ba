"""How documents are read: parser, extraction, and what a model may cost for one document."""

from typing import TYPE_CHECKING

import streamlit as st

from pages.components.language import t
from pages.components.settings_fields import keep, origin, said

if TYPE_CHECKING:
    from core.bootstrap import Services

NAMES = ("EXTRACTION", "INGEST_MAX_TOKENS")


def documents_section(services: "Services") -> None:
    st.markdown(t("settings.documents.about"))
    said("documents")
    settings = services.settings
    with st.form("settings-documents", border=False):
        extraction = st.radio(
            t("settings.documents.extraction"),
            ("built-in", "model"),
            index=("built-in", "model").index(settings.extraction),
            format_func=lambda name: t(f"settings.documents.extraction_{name.replace('-', '_')}"),
        )
        tokens = st.number_input(
            t("settings.documents.tokens"),
            0,
            100_000_000,
            settings.ingest_max_tokens,
            10_000,
            help=t("settings.documents.tokens_help"),
        )
        wants_save = st.form_submit_button(t("settings.save"), type="primary")
    if wants_save:
        keep(services, {"EXTRACTION": extraction, "INGEST_MAX_TOKENS": str(tokens)}, "documents")
    origin(services, NAMES, "documents")
