"""Adding files: each one is taken or refused by itself, with a sentence that says why."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import streamlit as st

from core.errors import AppError
from core.ingest.inspect import MAX_MEGABYTES
from pages.components.boundary import sentence_of
from pages.components.document_bases import use_base
from pages.components.language import t
from pages.components.services import services
from pages.components.text import markdown_of

_ROUND = "documents-upload-round"
_NOTICES = "documents-notices"


class Upload(Protocol):
    name: str

    def getvalue(self) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Notice:
    kind: str
    """`refused` or `known`."""
    sentence: str
    """May hold untrusted words."""


def upload_area(base_id: str | None) -> None:
    """Where files are dropped; without a knowledge base the first file makes one."""
    turn = st.session_state.setdefault(_ROUND, 0)
    with st.container(key="documents-drop", gap=None):
        st.html(_words())
        files = st.file_uploader(
            t("documents.upload.label"),
            accept_multiple_files=True,
            max_upload_size=MAX_MEGABYTES,
            key=f"documents-upload-{turn}",
            label_visibility="collapsed",
        )
    _show_notices()
    if not files:
        return
    with st.spinner(t("documents.upload.taking", count=len(files))):
        st.session_state[_NOTICES] = take_files(base_id or _first_base(), files)
    st.session_state[_ROUND] = turn + 1  # a fresh uploader: what was taken is in the list now
    st.rerun()


def take_files(base_id: str, files: Sequence[Upload]) -> list[Notice]:
    """Hand each file to the intake; what is refused or already there is told, the others go on."""
    notices: list[Notice] = []
    for file in files:
        try:
            _, new = services().intake.add(base_id, file.name, file.getvalue())
        except AppError as error:
            notices.append(Notice("refused", sentence_of(error)))
            continue
        if not new:
            notices.append(Notice("known", t("documents.upload.known", name=file.name)))
    return notices


def _words() -> str:
    """Streamlit's own words in the field are English in every language: the style sheet puts these in their place."""
    choose = json.dumps(t("documents.upload.label"), ensure_ascii=False)
    formats = json.dumps(t("documents.upload.formats", megabytes=MAX_MEGABYTES), ensure_ascii=False)
    return f"<style>.st-key-documents-drop {{ --gt-choose: {choose}; --gt-formats: {formats} }}</style>"


def _first_base() -> str:
    base = services().library.create_base(t("documents.base.default"))
    use_base(base.id)
    return base.id


def _show_notices() -> None:
    notices: list[Notice] = st.session_state.get(_NOTICES, [])
    for notice in notices:
        show, icon = (st.error, "error") if notice.kind == "refused" else (st.info, "content_copy")
        show(markdown_of(notice.sentence, 600), icon=f":material/{icon}:")
    if notices:
        st.button(t("documents.upload.dismiss"), type="tertiary", on_click=_dismiss, key="documents-dismiss")


def _dismiss() -> None:
    st.session_state[_NOTICES] = []
