"""Lists below the first questions: recent chats, the newest documents, and what needs the reader's attention."""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import streamlit as st

from core.documents.model import Document, DocumentFilter, DocumentOrder, DocumentStatus, KnowledgeBase
from core.memory.model import MemoryStatus
from pages.components.chat.state import open_thread
from pages.components.documents.facts import counted_in_words, kind
from pages.components.documents.link import open_document
from pages.components.run.live_html import live_html
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of, render
from pages.components.shell.times import ago

MOST = 4
MAX_WORDS = 60
_ASKS_FOR_A_PERSON = (DocumentStatus.PAUSED, DocumentStatus.FAILED)


class _Line(NamedTuple):
    key: str
    words: str
    facts: str
    icon: str
    open: Callable[[], None]


def home(base: KnowledgeBase) -> None:
    lists = (("chats", _chats()), ("documents", _documents(base)), ("waiting", _waiting(base)))
    shown = [(name, lines) for name, lines in lists if lines]
    # Streamlit begins a page with a field at its end
    live_html("home-top", "home", [("top", render("parts.html", "marker"))])
    with st.container(horizontal=True, horizontal_alignment="center", gap="large", key="home"):
        for name, lines in shown:
            with st.container(gap=None, width="content"):
                st.html(render("chat/welcome.html", "legend", words=t(f"chat.home.{name}")))
                for line in lines:
                    _draw(line)


def _draw(line: _Line) -> None:
    words = f"{markdown_of(line.words, MAX_WORDS)} :gray[· {line.facts}]" if line.facts else line.words
    if st.button(words, key=f"home-{line.key}", icon=line.icon, type="tertiary"):
        line.open()
        st.rerun()


def _chats() -> Sequence[_Line]:
    newest, icon = services().threads.find()[:MOST], ":material/chat_bubble:"
    return [_Line(it.id, it.title, ago(it.updated_at), icon, partial(open_thread, it.id)) for it in newest]


def _documents(base: KnowledgeBase) -> Sequence[_Line]:
    ready, icon = DocumentFilter((DocumentStatus.READY,)), ":material/description:"
    newest = services().library.documents.find(base.id, ready, DocumentOrder.NEWEST, MOST)
    return [_Line(it.id, it.name, _length(it), icon, partial(open_document, it.id)) for it in newest]


def _length(document: Document) -> str:
    return counted_in_words("pages", document.pages) if document.pages else kind(document)


def _waiting(base: KnowledgeBase) -> Sequence[_Line]:
    """Counts of proposed memories and of documents that failed or await a decision."""
    proposed = sum(it.base_id in ("", base.id) for it in services().memories.find(MemoryStatus.PROPOSED))
    counts = services().library.documents.counts(base.id, DocumentFilter(_ASKS_FOR_A_PERSON))
    found = (
        ("memory", "memories", ":material/neurology:", proposed),
        ("documents", "unread", ":material/warning:", sum(counts.values())),
    )
    return [
        _Line(name, t(f"chat.home.{name}", count=count), "", icon, partial(st.switch_page, f"pages/{page}.py"))
        for page, name, icon, count in found
        if count
    ]
