"""The welcome of an empty conversation: how to begin, suggested questions, lists of what is new or wants attention."""

from collections.abc import Callable, Sequence
from functools import lru_cache, partial
from typing import NamedTuple

import streamlit as st

from core.documents.model import (
    ACTIVE,
    CELL_BREAK,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
    KnowledgeBase,
)
from core.graph.model import Saying
from core.memory.model import MemoryStatus
from core.models.ports import BUILT_IN
from core.platform.errors import ServiceError
from pages.components.chat.actions import ask
from pages.components.chat.state import choices, open_thread
from pages.components.chat.workflow_choices import welcome_of
from pages.components.documents.bases import open_document, use_base
from pages.components.documents.facts import counted_in_words, kind
from pages.components.run.live_html import live_html
from pages.components.shell.identity import may_administer
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of, render
from pages.components.shell.times import ago

_MAX_NAME = 60
_MENTIONED_MOST = 8
_RELATED_MOST = 30
"""Most mentioned entities, between which a stated relation is looked for."""
_LISTED = 4
_MAX_WORDS = 60
_ASKS_FOR_A_PERSON = (DocumentStatus.PAUSED, DocumentStatus.FAILED)
REFRESH_SECONDS = 3.0
"""A number, because Streamlit loads pandas, 70 MB, to parse a string."""


class _Line(NamedTuple):
    key: str
    words: str
    facts: str
    icon: str
    open: Callable[[], None]


def welcome(base: KnowledgeBase | None) -> None:
    has_documents = base and services().library.documents.find(base.id, limit=1)
    with st.container(key="chat-empty", gap="medium"):
        if base and has_documents:
            _invite(base)
        else:
            _begin()
    if base and has_documents:
        _home(base)


def _invite(base: KnowledgeBase) -> None:
    """Draw examples; while documents are being read, they are refreshed every few seconds."""
    title, lead = t("chat.empty.ask"), welcome_of(choices().workflow)
    st.html(render("chat/welcome.html", "title", words=title, lead=lead))
    st.fragment(_examples, run_every=REFRESH_SECONDS if _waiting(base) else None)(base)


def _examples(base: KnowledgeBase) -> None:
    waiting = _waiting(base)
    if waiting:
        st.caption(t("chat.empty.not_ready", count=waiting), text_alignment="center")
    with st.container(key="examples", gap="xsmall"):
        for number, question in enumerate(_suggested(base)):
            key, icon = f"example-{number}", ":material/arrow_forward:"
            if st.button(markdown_of(question), key=key, icon=icon, width="stretch"):
                ask(question, base.id)


def _waiting(base: KnowledgeBase) -> int:
    return sum(services().library.documents.counts(base.id, DocumentFilter(ACTIVE)).values())


def _begin() -> None:
    st.html(render("chat/welcome.html", "title", words=t("chat.empty.title"), lead=t("chat.empty.text")))
    with st.grid(3, min_column_width=180, border=True):
        for icon, name in (("format_quote", "cited"), ("account_tree", "watched"), ("hub", "walked")):
            text = markdown_of(t(f"chat.empty.{name}.text"))
            st.markdown(f":primary[:material/{icon}:] **{t(f'chat.empty.{name}.title')}**  \n:small[{text}]")
    with st.container(horizontal=True, horizontal_alignment="center"):
        st.button(
            t("chat.empty.sample"),
            icon=":material/auto_stories:",
            type="primary",
            key="load-sample",
            on_click=lambda: use_base(services().lifecycle.load_sample().id),
        )
        if st.button(t("chat.empty.own"), icon=":material/upload_file:", key="own-documents"):
            st.switch_page("pages/documents.py")
    _offer_model()


def _offer_model() -> None:
    """Offer a local model before there are documents, if only the built-in engine answers."""
    made = services()
    if made.llm.engine != BUILT_IN or made.settings.is_shared or not may_administer():
        return
    for model in made.models.here.store.offered():
        label = t("chat.empty.model", size=f"{model.size / 1e9:.1f}")
        with st.container(horizontal=True, horizontal_alignment="center"):
            if st.button(label, type="tertiary", icon=":material/neurology:", key="offer-model"):
                st.switch_page("pages/settings.py")


def _suggested(base: KnowledgeBase) -> list[str]:
    """Question about the contents, then questions that the documents answer; fewer while they cannot be searched."""
    if not services().library.documents.counts(base.id, DocumentFilter((DocumentStatus.READY,))):
        return []
    try:
        answered = _answered(base.id, base.index_version, language(), _names(base.id))
    except ServiceError:
        return [t("chat.example.about")]
    return [t("chat.example.about"), *answered, *_relation(base.id)]


def _names(base_id: str) -> tuple[str, ...]:
    return tuple(entity.name for entity in services().graph.search(base_id, "", _MENTIONED_MOST))


@lru_cache(maxsize=64)
def _answered(base_id: str, _version: int, interface: str, _names: tuple[str, ...]) -> tuple[str, ...]:
    """Questions with an answer, cached until documents or names change, because each is searched for."""
    return services().answering.first_questions(base_id, interface)


def _relation(base_id: str) -> tuple[str, ...]:
    """Question about two of the most mentioned entities whose relation a sentence states."""
    graph = services().graph
    names = {each.id: label(each.name, _MAX_NAME) for each in graph.search(base_id, "", _RELATED_MOST)}
    rank = {entity_id: place for place, entity_id in enumerate(names)}
    related = sorted(graph.relations_between([*names]), key=lambda it: rank[it.source_id] + rank[it.target_id])
    found = next((each for each in related if any(map(_is_sentence, each.sayings))), None)
    if found is None:
        return ()
    return (t("chat.example.relation", first=names[found.source_id], second=names[found.target_id]),)


def _is_sentence(saying: Saying) -> bool:
    """Whether it is no row of a table."""
    texts = services().library.passages.texts([saying.chunk_id])
    return CELL_BREAK not in texts.get(saying.chunk_id, CELL_BREAK)[saying.start : saying.end]


def _home(base: KnowledgeBase) -> None:
    """Draw lists of recent chats, the newest documents, and what needs the reader's attention."""
    lists = (("chats", _chats()), ("documents", _documents(base)), ("waiting", _attention(base)))
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
    words = f"{markdown_of(line.words, _MAX_WORDS)} :gray[· {line.facts}]" if line.facts else line.words
    if st.button(words, key=f"home-{line.key}", icon=line.icon, type="tertiary"):
        line.open()
        st.rerun()


def _chats() -> Sequence[_Line]:
    newest, icon = services().threads.find()[:_LISTED], ":material/chat_bubble:"
    return [_Line(it.id, it.title, ago(it.updated_at), icon, partial(open_thread, it.id)) for it in newest]


def _documents(base: KnowledgeBase) -> Sequence[_Line]:
    ready, icon = DocumentFilter((DocumentStatus.READY,)), ":material/description:"
    newest = services().library.documents.find(base.id, ready, DocumentOrder.NEWEST, _LISTED)
    return [_Line(it.id, it.name, _length(it), icon, partial(open_document, it.id)) for it in newest]


def _length(document: Document) -> str:
    return counted_in_words("pages", document.pages) if document.pages else kind(document)


def _attention(base: KnowledgeBase) -> Sequence[_Line]:
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
