"""Notices about files above the list of their knowledge base, shown until dismissed; some offer undo or a link."""

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from core.documents.lifecycle.uploads import Taken
from core.documents.model import DocumentStatus
from core.platform.errors import AppError
from pages.components.documents.bases import current_base, document_query
from pages.components.documents.undo import undo, undo_base
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

_KEY = "documents-notices"
_LOOKS = {
    "refused": (st.error, "error"),
    "known": (st.info, "content_copy"),
    "deleted": (st.info, "delete"),
    "done": (st.success, "check"),
}


@dataclass(frozen=True, slots=True)
class Notice:
    kind: str
    """`refused`, `known`, `deleted` or `done`."""
    sentence: str
    """Untrusted."""
    base_id: str
    """Knowledge base that was open; empty for none."""
    deleted: tuple[str, ...] = ()
    """Documents that can be restored."""
    deleted_base: str = ""
    """Knowledge base that can be restored."""
    opens: str = ""
    """Document opened by a button."""


def notify(kind: str, sentence: str, deleted: tuple[str, ...] = (), deleted_base: str = "", opens: str = "") -> None:
    notice = Notice(kind, sentence, _open_base(), deleted, deleted_base, opens)
    st.session_state[_KEY] = [*st.session_state.get(_KEY, []), notice]


def _open_base() -> str:
    base = current_base()
    return base.id if base else ""


def attempt(act: Callable[[], object]) -> None:
    """Run an action; a refusal is shown above the list."""
    performed(act)


def performed(act: Callable[[], object]) -> bool:
    """Run an action as attempt() does; returns whether it was not refused."""
    try:
        act()
    except AppError as error:
        notify("refused", sentence_of(error))
        return False
    return True


def accepted(name: str, act: Callable[[], Taken | None]) -> bool:
    """Whether the file was not refused.

    Reports refused files, and those whose bytes are here under another name or read already; uploads that await an
    answer appear in their own list.
    """
    return performed(lambda: _tell_known(name, act()))


def _tell_known(name: str, taken: Taken | None) -> None:
    if taken is None or taken.is_new:
        return
    document = taken.document
    is_ready = document.status is DocumentStatus.READY
    if document.name != taken.known_as:
        notify("known", t("documents.upload.renamed", name=name, known=taken.known_as))
    elif is_ready or document.name != name:
        known = t("documents.upload.known", name=name, known=document.name)
        notify("known", known, opens=document.id if is_ready else "")


def show_notices() -> None:
    kept: list[Notice] = st.session_state.get(_KEY, [])
    opened = _open_base() if kept else ""
    notices = [notice for notice in kept if notice.base_id == opened]
    for place, notice in enumerate(notices):
        with st.container(key=f"notice-{place}", gap="small", horizontal=True, vertical_alignment="center"):
            show, icon = _LOOKS[notice.kind]
            show(markdown_of(notice.sentence, 600), icon=f":material/{icon}:")
            _ways_on(place, notice)
            if place == len(notices) - 1:
                words = t("documents.upload.dismiss")
                st.button(words, type="tertiary", on_click=dismiss_notices, key="documents-dismiss")


def dismiss_notices() -> None:
    st.session_state[_KEY] = []


def _ways_on(place: int, notice: Notice) -> None:
    if notice.deleted or notice.deleted_base:
        st.button(
            t("documents.trash.undo"), icon=":material/undo:", key=f"undo-{place}", on_click=_undo, args=(notice,)
        )
    if notice.opens and st.button(t("documents.upload.open"), key=f"notice-open-{place}"):
        st.switch_page("pages/documents.py", query_params=document_query(notice.opens))


def _undo(notice: Notice) -> None:
    """Does nothing if a click before has done it."""
    notices: list[Notice] = st.session_state[_KEY]
    if notice not in notices:
        return
    place = notices.index(notice)
    refusals = undo_base(notice.deleted_base) if notice.deleted_base else undo(notice.deleted)
    told = [Notice("refused", sentence, notice.base_id) for sentence in refusals]
    st.session_state[_KEY] = [*notices[:place], *told, *notices[place + 1 :]]
