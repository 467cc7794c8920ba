"""A dialog that shows whom a knowledge base is shared with; its owner changes that."""

import streamlit as st

from core.documents.model import KnowledgeBase
from core.platform.errors import AppError, InputError
from core.platform.identity import Role, group_subject
from pages.components.shell.boundary import sentence_of
from pages.components.shell.dialogs import dialog
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of

MAX_WHOM = 120


def ask_share(base: KnowledgeBase) -> None:
    @dialog(t("people.share.title", name=markdown_of(base.name, 60)))
    def asked() -> None:
        shares = services().storage.access.shares
        is_owner = shares.role(base.id) is Role.OWNER
        listed = shares.of_base(base.id)
        if not listed:
            st.caption(t("people.share.nobody"))
        for share in listed:
            with st.container(horizontal=True, vertical_alignment="center", key=f"share-{share.subject}"):
                st.markdown(f"**{markdown_of(share.name, 60)}** · {t(f'people.role.{share.role}')}")
                words = t("people.share.withdraw")
                if is_owner and st.button(words, key=f"withdraw-{share.subject}", type="tertiary"):
                    shares.withdraw(base.id, share.subject)
                    st.rerun(scope="fragment")
        if is_owner:
            _add(base)
        else:
            st.caption(t("people.not_owner"))

    asked()


def _add(base: KnowledgeBase) -> None:
    with st.form("share-add", border=False, clear_on_submit=True):
        whom = st.text_input(t("people.share.whom"), max_chars=MAX_WHOM, key="share-whom")
        role = st.radio(
            t("people.share.role"), list(Role), format_func=lambda each: t(f"people.role.{each}"), key="share-role"
        )
        wants_share = st.form_submit_button(t("people.share.do"), type="primary", key="share-do")
    if not wants_share:
        return
    try:
        services().storage.access.shares.share(base.id, _subject(whom), role or Role.READER)
    except AppError as error:
        st.error(markdown_of(sentence_of(error)), icon=":material/error:")
        return
    st.rerun(scope="fragment")


def _subject(whom: str) -> str:
    """Subject of a share: a person by address, or else a group by name. Raises InputError."""
    wanted = whom.strip()
    if "@" not in wanted:
        return group_subject(wanted)
    person = services().storage.access.people.called(wanted)
    if person is None:
        raise InputError("people.subject")
    return person.id
