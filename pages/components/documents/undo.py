"""Restoring deleted documents and knowledge bases, or deleting them permanently."""

from collections.abc import Callable, Sequence
from functools import partial

import streamlit as st

from core.documents.lifecycle.base_removal import DeletedBase
from core.documents.lifecycle.trash import DAYS, Deleted
from core.documents.model import KnowledgeBase
from core.platform.errors import AppError
from pages.components.documents.bases import use_base
from pages.components.documents.facts import counted_in_words
from pages.components.shell.boundary import sentence_of
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, markdown_of, render
from pages.components.shell.times import ago

SHOWN = 20


def undo(document_ids: Sequence[str]) -> list[str]:
    """Restores the documents; returns sentences about those that could not be restored."""
    restore = services().lifecycle.removal.restore
    return [sentence for document_id in document_ids for sentence in _refusal(partial(restore, document_id))]


def undo_base(base_id: str, file: str = "") -> list[str]:
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
        for kept in bases[:SHOWN]:
            _row(f"base-{kept.file}", deleted_base_html(kept), partial(_restore_base, kept.base.id), kept.file)
        for each in deleted[:SHOWN]:
            _row(each.document.id, deleted_html(each), _restore, each.document.id)


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


def _restore_base(base_id: str, file: str) -> None:
    _tell(undo_base(base_id, file))


def _restore(document_id: str) -> None:
    _tell(undo([document_id]))


def _tell(refusals: Sequence[str]) -> None:
    for sentence in refusals:
        st.toast(markdown_of(sentence, 600), icon=":material/error:")
