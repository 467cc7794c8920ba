"""The list of conversations in the sidebar: new, search, open, pin, folders, rename, export, delete and undo."""

from collections import Counter
from collections.abc import Callable, Sequence

import streamlit as st

from core.platform.errors import ServiceError
from core.runs.branches import Branches
from core.runs.model import Thread
from core.runs.ports import Threads
from pages.components.chat.export import chat_markdown, chats_zip
from pages.components.chat.state import (
    begin_thread,
    delete_thread,
    deleted_threads,
    open_thread,
    restore_thread,
    taken_along,
    thread_id,
)
from pages.components.run.run_views import view_of
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.times import ago
from pages.components.shell.widgets import search_field

MAX_LISTED = 30
MAX_TITLE = 80
MAX_FOLDER = 40
MAX_NEAR = 8
FARTHEST = 0.55
"""Cosine distance above which a question has another meaning."""
SEARCH_FROM = 8
"""Number of conversations from which the search is shown."""


def thread_list(threads: Threads) -> None:
    st.button(
        t("chat.threads.new"),
        icon=":material/edit_square:",
        width="stretch",
        key="new-chat",
        shortcut="Alt+N",
        on_click=begin_thread,
    )
    if deleted_threads():
        _undo_bar()
    everything = threads.find()
    if not everything:
        return
    query = ""
    if len(everything) >= SEARCH_FROM:
        query = search_field(t("chat.threads.search"), "thread-search").strip()
    with st.container(key="threads", gap="xxsmall"):
        if query:
            _found(threads, query, everything)
        else:
            _grouped(threads, everything)


def _found(threads: Threads, query: str, everything: Sequence[Thread]) -> None:
    """Threads that contain the words, then those with a question of similar meaning."""
    found = threads.find(query)
    known = {thread.id for thread in found}
    others = {thread.id: thread for thread in everything if thread.id not in known}
    near = [others[thread_id] for thread_id in _near(query) if thread_id in others]
    _rows(threads, found, "chat.threads.more_found")
    if near:
        st.caption(t("chat.threads.near"))
        _rows(threads, near)
    if not found and not near:
        st.caption(t("chat.threads.none"))


def _near(query: str) -> list[str]:
    """Ids of threads, nearest first; none if meanings cannot be compared now, since the words are found anyway."""
    try:
        return [
            id for id, distance in services().storage.records.questions.near(query, MAX_NEAR) if distance <= FARTHEST
        ]
    except ServiceError:
        return []


def _grouped(threads: Threads, everything: Sequence[Thread]) -> None:
    """Groups of threads: pinned, then folders by name, then the others, last used first."""
    loose = [thread for thread in everything if not thread.folder]
    _rows(threads, [thread for thread in loose if thread.pinned])
    for folder in sorted({thread.folder for thread in everything if thread.folder}, key=str.casefold):
        inside = [thread for thread in everything if thread.folder == folder]
        opened = any(thread.id == thread_id() for thread in inside)
        with st.expander(markdown_of(folder, MAX_FOLDER), expanded=opened, icon=":material/folder:"):
            _rows(threads, sorted(inside, key=lambda thread: not thread.pinned))
    _rows(threads, [thread for thread in loose if not thread.pinned])


def _rows(threads: Threads, listed: Sequence[Thread], left_out: str = "chat.threads.more") -> None:
    """Draw the first threads. left_out: text that counts the others."""
    shown = listed[:MAX_LISTED]
    titles = Counter(thread.title for thread in shown)
    for thread in shown:
        _row(threads, thread, ago(thread.updated_at) if titles[thread.title] > 1 else "")
    if len(listed) > MAX_LISTED:
        st.caption(t(left_out, count=len(listed) - MAX_LISTED))


def _undo_bar() -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="threads-undo"):
        count = taken_along()
        st.caption(t("chat.threads.deleted_with" if count else "chat.threads.deleted", count=count), width="stretch")
        st.button(
            t("chat.threads.undo"), icon=":material/undo:", type="tertiary", key="undo-delete", on_click=restore_thread
        )


def _row(threads: Threads, thread: Thread, when: str) -> None:
    """Draw a thread. when: tells it from another one of the same title; empty if there is none."""
    current = thread.id == thread_id()
    with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
        st.button(
            f"{_mark(thread)}{markdown_of(thread.title, MAX_TITLE)}{f' :gray[· {when}]' if when else ''}",
            key=f"open-{thread.id}",
            type="secondary" if current else "tertiary",
            width="stretch",
            on_click=open_thread,
            args=(thread.id,),
        )
        if current:
            _menu(threads, thread)


def _mark(thread: Thread) -> str:
    """Marks before the title: pinned, and newest answer made without the model or part of it."""
    pinned = ":material/keep: " if thread.pinned else ""
    return f"{pinned}:material/warning: *{t('chat.threads.degraded')}* · " if thread.degraded else pinned


def _menu(threads: Threads, thread: Thread) -> None:
    pin = "unpin" if thread.pinned else "pin"
    chosen = st.menu_button(
        "",
        (pin, "folder", "rename", "export", "delete"),
        key=f"menu-{thread.id}",
        icon=":material/more_horiz:",
        type="tertiary",
        help=t("chat.threads.menu"),
        format_func=lambda name: t(f"chat.threads.{name}"),
    )
    if chosen == pin:
        threads.pin(thread.id, not thread.pinned)
        st.rerun()
    elif chosen == "delete":
        _delete(thread)
    elif chosen:
        st.dialog(t(f"chat.threads.{chosen}"))(_DIALOGS[chosen])(threads, thread)


def _choose_folder(threads: Threads, thread: Thread) -> None:
    known = sorted({each.folder for each in threads.find() if each.folder}, key=str.casefold)
    folder = st.selectbox(
        t("chat.threads.folder_name"),
        known,
        index=known.index(thread.folder) if thread.folder in known else None,
        accept_new_options=True,
        placeholder=t("chat.threads.folder_hint"),
    )
    with st.container(horizontal=True):
        if st.button(t("chat.threads.save"), type="primary", disabled=not (folder or "").strip()):
            threads.file(thread.id, label(folder or "", MAX_FOLDER))
            st.rerun()
        if thread.folder and st.button(t("chat.threads.unfile")):
            threads.file(thread.id, "")
            st.rerun()


def _rename(threads: Threads, thread: Thread) -> None:
    with st.form("rename-thread", border=False):  # Enter sends it
        title = st.text_input(t("chat.threads.name"), label(thread.title, MAX_TITLE), max_chars=MAX_TITLE)
        if st.form_submit_button(t("chat.threads.save"), type="primary") and (title or "").strip():
            threads.rename(thread.id, (title or "").strip())
            st.rerun()


def _export(threads: Threads, thread: Thread) -> None:
    runs = Branches(services().runs.of_thread(thread.id)).path(thread.leaf_id)
    text = chat_markdown(thread.title, [(run, view_of(run)) for run in runs])
    with st.container(horizontal=True):
        one, every = t("chat.threads.export_one"), t("chat.threads.export_all")
        download_button(one, "chat.md", "text/markdown", lambda: text, "chat.exported", thread.id)
        kind = "application/zip"
        download_button(every, "chats.zip", kind, lambda: chats_zip(threads.find(), services().runs), "chats.exported")
    st.caption(t("chat.threads.export_what"))


def _delete(thread: Thread) -> None:
    """Delete without asking, because it can be undone."""
    for run in services().runs.of_thread(thread.id):
        services().worker.stop(run.id)
    delete_thread(thread.id)
    st.rerun()


_DIALOGS: dict[str, Callable[[Threads, Thread], None]] = {
    "folder": _choose_folder,
    "rename": _rename,
    "export": _export,
}
