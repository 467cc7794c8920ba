"""Password field for encrypted PDFs; the password is only passed on to the PDF reader."""

import streamlit as st

from core.documents.model import Document
from core.platform.errors import AppError
from pages.components.documents.notices import dismiss_notices, notify
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t
from pages.components.shell.services import services


def password_form(document: Document) -> None:
    with (
        st.form(f"password-{document.id}", border=False, clear_on_submit=True, width=280),
        st.container(horizontal=True, vertical_alignment="bottom", wrap=False),
    ):
        password = st.text_input(
            t("documents.password.label"),
            type="password",
            autocomplete="off",
            help=t("documents.password.explain"),
            key=f"password-typed-{document.id}",
        )
        sent = st.form_submit_button(t("documents.password.open"), type="primary")
    if not sent:
        return
    dismiss_notices()
    try:
        services().lifecycle.unlocking.open_document(document.id, password)
    except AppError as error:
        notify("refused", sentence_of(error))
    st.rerun()
