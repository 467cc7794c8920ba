"""The list of conversations in the sidebar: new, search, open, rename, delete."""

import streamlit as st

from core.domain.runs import Thread
from core.ports.runs import Threads
from pages.components.chat.export import chat_markdown
from pages.components.chat.state import begin_thread, open_thread, thread_id
from pages.components.run.run_views import view_of
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

MAX_LISTED = 30
MAX_TITLE = 80
SEARCH_FROM = 8
"""Fewer conversations than this are seen at a glance."""


def thread_list(threads: Threads) -> None:
    st.button(
        t("chat.threads.new"),
        icon=":material/edit_square:",
        width="stretch",
        key="new-chat",
        shortcut="Alt+N",
        on_click=begin_thread,
    )
    everything = threads.find()
    if not everything:
        return
    query = _search_field() if len(everything) >= SEARCH_FROM else ""
    found = threads.find(query) if query else everything
    with st.container(key="threads", gap="xxsmall"):
        for thread in found[:MAX_LISTED]:
            _row(threads, thread)
    if not found:
        st.caption(t("chat.threads.none"))
    if len(found) > MAX_LISTED:
        st.caption(t("chat.threads.more", count=len(found) - MAX_LISTED))


def _search_field() -> str:
    query = st.text_input(
        t("chat.threads.search"),
        key="thread-search",
        type="search",
        placeholder=t("chat.threads.search"),
        icon=":material/search:",
        label_visibility="collapsed",
        live=True,
    )
    return (query or "").strip()


def _row(threads: Threads, thread: Thread) -> None:
    current = thread.id == thread_id()
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
        st.button(
            f"{_mark(thread)}{markdown_of(thread.title, MAX_TITLE)}",
            key=f"open-{thread.id}",
            type="secondary" if current else "tertiary",
            width="stretch",
            on_click=open_thread,
            args=(thread.id,),
        )
        if current:
            _menu(threads, thread)


def _mark(thread: Thread) -> str:
    """Before the title of a conversation whose newest answer was made without all or some of the model."""
    return f":material/warning: *{t('chat.threads.degraded')}* · " if thread.degraded else ""


def _menu(threads: Threads, thread: Thread) -> None:
    chosen = st.menu_button(
        "",
        ("rename", "export", "delete"),
        key=f"menu-{thread.id}",
        icon=":material/more_horiz:",
        type="tertiary",
        help=t("chat.threads.menu"),
        format_func=lambda name: t(f"chat.threads.{name}"),
    )
    if chosen == "rename":
        _rename(threads, thread)
    elif chosen == "export":
        _export(thread)
    elif chosen == "delete":
        _delete(threads, thread)


def _rename(threads: Threads, thread: Thread) -> None:
    @st.dialog(t("chat.threads.rename"))
    def dialog() -> None:
        title = st.text_input(t("chat.threads.name"), label(thread.title, MAX_TITLE), max_chars=MAX_TITLE, live=True)
        if st.button(t("chat.threads.save"), type="primary", disabled=not (title or "").strip()):
            threads.rename(thread.id, (title or "").strip())
            st.rerun()

    dialog()


def _export(thread: Thread) -> None:
    @st.dialog(t("chat.threads.export"))
    def dialog() -> None:
        runs = services().runs.of_thread(thread.id)
        text = chat_markdown(thread.title, [(run, view_of(run)) for run in runs])
        st.download_button(
            t("chat.threads.export"), text, "chat.md", "text/markdown", icon=":material/download:", on_click="ignore"
        )

    dialog()


def _delete(threads: Threads, thread: Thread) -> None:
    @st.dialog(t("chat.threads.delete"))
    def dialog() -> None:
        st.markdown(t("chat.threads.delete_what", name=markdown_of(thread.title, MAX_TITLE)))
        if st.button(t("chat.threads.delete"), type="primary"):
            for run in services().runs.of_thread(thread.id):
                services().worker.stop(run.id)
            threads.delete(thread.id)
            open_thread("")
            st.rerun()

    dialog()
