"""The knowledge base that the Graph and Documents pages are about: picking, making, renaming and deleting it."""

from collections.abc import Sequence

import streamlit as st

from core.domain.documents import KnowledgeBase
from core.errors import AppError
from pages.components.boundary import sentence_of
from pages.components.language import t
from pages.components.services import services
from pages.components.text import label, markdown_of

CURRENT = "base"
"""Session key and query parameter of the id."""
MAX_NAME = 80


def current_base() -> KnowledgeBase | None:
    """The one chosen in this session, else the one of the address, else the first; None while there is none."""
    bases = services().library.bases()
    known = {base.id: base for base in bases}
    wanted = (st.session_state.get(CURRENT, ""), st.query_params.get(CURRENT, ""))
    return next((known[base_id] for base_id in wanted if base_id in known), bases[0] if bases else None)


def use_base(base_id: str) -> None:
    st.session_state[CURRENT] = base_id


def base_picker(current: KnowledgeBase) -> None:
    """A choice among the knowledge bases; only a name where there is one."""
    bases = services().library.bases()
    if len(bases) < 2:
        st.caption(markdown_of(current.name, 60), width="content")
        return
    ids = [base.id for base in bases]
    names = {base.id: label(base.name, 60) for base in bases}
    st.selectbox(
        t("documents.base.label"),
        ids,
        index=ids.index(current.id),
        format_func=lambda base_id: names.get(base_id, base_id),
        key=f"base-picker-{current.id}",
        label_visibility="collapsed",
        width=260,
        on_change=lambda: use_base(st.session_state[f"base-picker-{current.id}"]),
    )


def base_menu(current: KnowledgeBase) -> None:
    """New, rename, delete."""
    names = ("create", "rename", "delete")
    chosen = st.menu_button(
        t("documents.base.menu"),
        names,
        format_func=lambda name: t(f"documents.base.{name}"),
        icon=":material/folder_managed:",
        key="base-menu",
    )
    if chosen == "create":
        create_base()
    elif chosen == "rename":
        _rename(current)
    elif chosen == "delete":
        _delete(current)


def create_base() -> None:
    @st.dialog(t("documents.base.create"))
    def dialog() -> None:
        name = _name_field("")
        if st.button(t("documents.base.create_do"), type="primary", disabled=not name):
            try:
                use_base(services().library.create_base(name).id)
            except AppError as error:
                st.error(markdown_of(sentence_of(error)))
                return
            st.rerun()

    dialog()


def _rename(base: KnowledgeBase) -> None:
    @st.dialog(t("documents.base.rename"))
    def dialog() -> None:
        name = _name_field(base.name)
        if st.button(t("documents.base.rename_do"), type="primary", disabled=not name or name == base.name):
            try:
                services().library.rename_base(base.id, name)
            except AppError as error:
                st.error(markdown_of(sentence_of(error)))
                return
            st.rerun()

    dialog()


def _delete(base: KnowledgeBase) -> None:
    @st.dialog(t("documents.base.delete"))
    def dialog() -> None:
        documents = services().library.documents(base.id)
        entities = services().graph.stats(base.id).entities
        name = markdown_of(base.name)
        st.markdown(t("documents.base.delete_what", name=name, documents=len(documents), entities=entities))
        typed = st.text_input(t("documents.base.delete_confirm", name=label(base.name)), live=True)
        if st.button(t("documents.base.delete_do"), type="primary", disabled=typed.strip() != label(base.name)):
            _delete_base(base, [document.id for document in documents])
            st.rerun()

    dialog()


def _delete_base(base: KnowledgeBase, document_ids: Sequence[str]) -> None:
    """Work in progress is stopped first; files and indexes go with the documents."""
    del document_ids
    services().remove_base(base.id)
    st.session_state.pop(CURRENT, None)


def _name_field(value: str) -> str:
    return (st.text_input(t("documents.base.name"), value, max_chars=MAX_NAME, live=True) or "").strip()
