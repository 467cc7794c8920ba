"""Notices about files above the list of their knowledge base, and restoring what was deleted, which some offer."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.documents.lifecycle.base_removal import DeletedBase
from core.documents.lifecycle.trash import DAYS, Deleted
from core.documents.lifecycle.uploads import Taken
from core.documents.model import DocumentStatus, KnowledgeBase
from core.platform.errors import AppError
from pages.components.documents.bases import current_base, document_query, use_base
from pages.components.documents.facts import counted_in_words
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, markdown_of, render
from pages.components.shell.times import ago

_KEY = "documents-notices"
_LOOKS = {
    "refused": (st.error, "error"),
    "known": (st.info, "content_copy"),
    "deleted": (st.info, "delete"),
    "done": (st.success, "check"),
}
MOST_DELETED = 20


def restored_documents(document_ids: Sequence[str]) -> list[str]:
    """Restores the documents; returns sentences about those that could not be restored."""
    restore = services().lifecycle.removal.restore
    return [sentence for document_id in document_ids for sentence in _refusal(partial(restore, document_id))]


def restored_base(base_id: str, file: str = "") -> list[str]:
    """Restores and opens the knowledge base; returns a sentence if that fails. file: as BaseRemoval.restore."""
    return _refusal(lambda: use_base(services().lifecycle.base_removal.restore(base_id, file).id))


def _refusal(act: Callable[[], object]) -> list[str]:
    """Runs an action; returns the sentence of its refusal, if it is refused."""
    try:
        act()
    except AppError as error:
        return [sentence_of(error)]
    return []


def recently_deleted(base: KnowledgeBase | None) -> None:
    """Deleted knowledge bases and documents of the open one; empty if there are none."""
    bases = services().lifecycle.base_removal.deleted()
    deleted = services().lifecycle.removal.deleted(base.id) if base else []
    if not deleted and not bases:
        return
    title = t("documents.trash.title", count=len(deleted) + len(bases))
    with st.expander(title, icon=":material/delete:", key="documents-trash"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("documents.trash.explain", days=DAYS), width="stretch")
            with st.popover(t("documents.trash.empty"), type="tertiary"):
                st.markdown(t("documents.trash.final"))
                words = t("documents.trash.empty")
                st.button(words, type="primary", key="trash-empty", on_click=_forget, args=(bases, deleted))
        for kept in bases[:MOST_DELETED]:
            _row(f"base-{kept.file}", deleted_base_html(kept), partial(_put_base_back, kept.base.id), kept.file)
        for each in deleted[:MOST_DELETED]:
            _row(each.document.id, deleted_html(each), _put_back, each.document.id)


def _forget(bases: Sequence[DeletedBase], documents: Sequence[Deleted]) -> None:
    lifecycle = services().lifecycle
    forget_bases = partial(lifecycle.base_removal.forget, [kept.base.id for kept in bases])
    forget_documents = partial(lifecycle.removal.forget, [each.document.id for each in documents])
    _tell(_refusal(forget_bases) or _refusal(forget_documents))


def _row(key: str, html: Html, restore: Callable[[str], None], id: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"deleted-{key}"):
        st.html(html, width="stretch")
        words = t("documents.trash.undo")
        st.button(words, icon=":material/undo:", key=f"restore-{key}", on_click=restore, args=(id,))


def deleted_base_html(deleted: DeletedBase) -> Html:
    facts = [
        t("documents.trash.base"),
        t("documents.trash.deleted", when=ago(deleted.deleted_at)),
        counted_in_words("documents", deleted.documents),
        t("documents.trash.until", day=deleted.gone_at.date().isoformat()),
    ]
    return render("documents/document.html", "deleted", name=deleted.base.name, words=facts)


def deleted_html(deleted: Deleted) -> Html:
    document = deleted.document
    why = "documents.trash.replaced" if deleted.replaced_by else "documents.trash.deleted"
    facts = [t(why, when=ago(deleted.deleted_at))]
    facts += [counted_in_words("chunks", document.chunks)] if document.chunks else []
    facts += [t("documents.trash.until", day=deleted.gone_at.date().isoformat())]
    return render("documents/document.html", "deleted", name=document.name, words=facts)


def _put_base_back(base_id: str, file: str) -> None:
    _tell(restored_base(base_id, file))


def _put_back(document_id: str) -> None:
    _tell(restored_documents([document_id]))


def _tell(refusals: Sequence[str]) -> None:
    for sentence in refusals:
        st.toast(markdown_of(sentence, 600), icon=":material/error:")


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
    refusals = restored_base(notice.deleted_base) if notice.deleted_base else restored_documents(notice.deleted)
    told = [Notice("refused", sentence, notice.base_id) for sentence in refusals]
    st.session_state[_KEY] = [*notices[:place], *told, *notices[place + 1 :]]
