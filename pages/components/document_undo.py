"""Deleted documents: brought back, or let go for good."""

from collections.abc import Sequence

import streamlit as st

from core.domain.documents import KnowledgeBase
from core.errors import AppError
from core.ingest.trash import DAYS, Deleted
from pages.components.boundary import sentence_of
from pages.components.document_facts import counted_in_words
from pages.components.language import t
from pages.components.services import services
from pages.components.text import html_of
from pages.components.times import ago

SHOWN = 20


def undo(document_ids: Sequence[str]) -> list[str]:
    """Brings the documents back; sentences about those that could not be."""
    refusals: list[str] = []
    for document_id in document_ids:
        try:
            services().removal.restore(document_id)
        except AppError as error:
            refusals.append(sentence_of(error))
    return refusals


def recently_deleted(base: KnowledgeBase) -> None:
    """Nothing when the trash is empty."""
    deleted = services().removal.deleted(base.id)
    if not deleted:
        return
    with st.expander(t("documents.trash.title", count=len(deleted)), icon=":material/delete:", key="documents-trash"):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(t("documents.trash.explain", days=DAYS), width="stretch")
            st.button(
                t("documents.trash.empty"),
                type="tertiary",
                key="trash-empty",
                on_click=services().removal.forget,
                args=([each.document.id for each in deleted],),
            )
        for each in deleted[:SHOWN]:
            _row(each)


def _row(deleted: Deleted) -> None:
    document = deleted.document
    with st.container(horizontal=True, vertical_alignment="center", wrap=False, key=f"deleted-{document.id}"):
        st.html(deleted_html(deleted), width="stretch")
        st.button(
            t("documents.trash.undo"),
            icon=":material/undo:",
            key=f"restore-{document.id}",
            on_click=_restore,
            args=(document.id,),
        )


def deleted_html(deleted: Deleted) -> str:
    document = deleted.document
    why = "documents.trash.replaced" if deleted.replaced_by else "documents.trash.deleted"
    facts = [t(why, when=ago(deleted.deleted_at))]
    facts += [counted_in_words("chunks", document.chunks)] if document.chunks else []
    facts += [t("documents.trash.until", day=deleted.gone_at.date().isoformat())]
    told = "".join(f"<li>{html_of(fact)}</li>" for fact in facts)
    return f'<b>{html_of(document.name, 140)}</b><ul class="gt-facts">{told}</ul>'


def _restore(document_id: str) -> None:
    for sentence in undo([document_id]):
        st.toast(html_of(sentence), icon=":material/error:")
