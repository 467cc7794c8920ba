"""Uploading files, each accepted or refused on its own, with a reason; choice of the parser that reads them."""

import json
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Protocol

import streamlit as st

from core.documents.lifecycle.sample import NAME as SAMPLE
from core.documents.model import KnowledgeBase
from core.documents.reading.inspection import MAX_MEGABYTES
from core.graph.files.json_files import HEAD_BYTES, graph_file
from core.platform.settings.parsers import ParserPlugin, parsers
from core.platform.settings.settings import configured_parsers
from core.runs.model import AttachedFile
from pages.components.documents.bases import own_base
from pages.components.documents.notices import accepted, dismiss_notices, show_notices
from pages.components.documents.waiting import hold_graph, waiting_uploads
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, style_element

_ROUND = "documents-upload-round"
_PARSER = "documents-parser"


def configured() -> list[str]:
    """Available parsers in a fixed order."""
    return configured_parsers(services().settings, services().ingestion.engines.reads_pictures)


def parser_name(parser: str) -> str:
    plugin = parsers().get(parser)
    return plugin.title if isinstance(plugin, ParserPlugin) else t(f"documents.parsers.{parser.replace('-', '_')}")


def parser_summary(parser: str) -> str:
    plugin = parsers().get(parser)
    if isinstance(plugin, ParserPlugin):
        return plugin.summary
    return t(f"documents.parsers.{parser.replace('-', '_')}_explain")


def chosen_parser() -> str:
    """ "" for the default parser of the settings."""
    chosen = str(st.session_state.get(_PARSER) or "")
    return chosen if chosen in configured() else ""


def current_parser() -> str:
    """The parser used for the next uploads."""
    ready = configured()
    default = services().settings.parser
    return chosen_parser() or (default if default in ready else ready[0])


def parser_picker() -> None:
    """A collapsed picker; says if files leave this machine."""
    ready, current = configured(), current_parser()
    with st.container(horizontal=True, vertical_alignment="center", key="documents-parser-row"):
        with st.popover(t("documents.parsers.current", name=parser_name(current)), type="tertiary"):
            st.radio(
                t("documents.parsers.label"),
                ready,
                index=ready.index(current),
                format_func=parser_name,
                captions=[parser_summary(name) for name in ready],
                key=_PARSER,
            )
            st.page_link("pages/settings.py", label=t("documents.parsers.set_up"), icon=":material/tune:")
        if parsers()[current].leaves_machine:
            st.caption(t("documents.parsers.leaves", name=parser_name(current)), width="content")


class Upload(Protocol):
    name: str

    def getvalue(self) -> bytes: ...


def upload_area(base: KnowledgeBase | None) -> None:
    """The drop area; without a knowledge base, the first file creates one."""
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
    parser_picker()
    show_notices()
    if base:
        waiting_uploads(base.id)
    if files:
        _ask_where(base, files) if base and base.name == SAMPLE else _take(base.id if base else own_base().id, files)


def _ask_where(base: KnowledgeBase, files: Sequence[Upload]) -> None:
    """Ask before files are added to the sample."""
    where = asked_where(len(files), "upload")
    if where == "own":
        _take(own_base().id, files)
    elif where == "sample":
        _take(base.id, files)
    elif where:
        _fresh_uploader()


def asked_where(count: int, key: str, editable: bool = True) -> str:
    """Ask for the knowledge base of files: `own`, the open one (`sample`) if it is editable, or `cancel`."""
    words = t("chat.files.where" if editable else "chat.files.read_only", count=count)
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"{key}-where"):
        st.caption(f":material/upload_file: {words}", width="stretch")
        clicked = {"own": st.button(t("chat.files.own"), type="primary", key=f"{key}-own")}
        clicked["sample"] = editable and st.button(t("chat.files.sample"), key=f"{key}-sample")
        clicked["cancel"] = st.button(t("chat.turn.cancel"), key=f"{key}-cancel", type="tertiary")
    return next((where for where, is_clicked in clicked.items() if is_clicked), "")


def _take(base_id: str, files: Sequence[Upload]) -> None:
    with st.spinner(t("documents.upload.taking", count=len(files))):
        dismiss_notices()
        take_files(base_id, files)
    _fresh_uploader()


def _fresh_uploader() -> None:
    """Replace the uploader by an empty one."""
    st.session_state[_ROUND] += 1
    st.rerun()


def take_files(base_id: str, files: Sequence[Upload]) -> tuple[AttachedFile, ...]:
    """Adds each file on its own, but the two files of a graph together; returns those that will be documents."""
    kinds = [graph_file(file.name, file.getvalue()[:HEAD_BYTES]) for file in files]
    graph = {kind: file for kind, file in zip(kinds, files, strict=True) if kind}
    if graph:
        hold_graph(base_id, graph)
    arrive = services().lifecycle.uploads.arrive
    documents = [file for kind, file in zip(kinds, files, strict=True) if not kind]
    return tuple(
        AttachedFile(file.name, sha256(file.getvalue()).hexdigest())
        for file in documents
        if accepted(file.name, partial(arrive, base_id, file.name, file.getvalue(), chosen_parser()))
    )


def _words() -> Html:
    """Translated texts that the style sheet puts in place of Streamlit's English ones."""
    choose = json.dumps(t("documents.upload.label"), ensure_ascii=False)
    stay = not parsers()[current_parser()].remote and not services().lifecycle.uploads.by_model()
    told = [t("documents.upload.formats", megabytes=MAX_MEGABYTES), *([t("documents.upload.stay")] if stay else [])]
    formats = json.dumps(" ".join(told), ensure_ascii=False)
    return style_element(f".st-key-documents-drop {{ --gt-choose: {choose}; --gt-formats: {formats} }}")
