"""The sample knowledge base, one click away wherever a page has nothing to show."""

import streamlit as st

from pages.components.document_bases import use_base
from pages.components.language import t
from pages.components.services import services


def sample_button() -> None:
    if st.button(t("documents.sample"), icon=":material/auto_stories:", help=t("documents.sample_help"), key="sample"):
        use_base(services().load_sample().id)
        st.switch_page("pages/documents.py")
