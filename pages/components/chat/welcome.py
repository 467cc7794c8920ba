"""The welcome of an empty conversation: how to begin, and suggested questions."""

from functools import lru_cache

import streamlit as st

from core.documents.model import ACTIVE, CELL_BREAK, DocumentFilter, DocumentStatus, KnowledgeBase
from core.graph.model import Saying
from core.models.ports import BUILT_IN
from core.platform.errors import ServiceError
from pages.components.chat.actions import ask
from pages.components.chat.home import home
from pages.components.chat.state import choices
from pages.components.chat.workflow_choices import welcome_of
from pages.components.documents.bases import use_base
from pages.components.shell.identity import may_administer
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of, render

_MAX_NAME = 60
_MENTIONED_MOST = 8
_RELATED_MOST = 30
"""Most mentioned entities, between which a stated relation is looked for."""
REFRESH_SECONDS = 3.0
"""A number, because Streamlit loads pandas, 70 MB, to parse a string."""


def welcome(base: KnowledgeBase | None) -> None:
    has_documents = base and services().library.documents.find(base.id, limit=1)
    with st.container(key="chat-empty", gap="medium"):
        if base and has_documents:
            _invite(base)
        else:
            _begin()
    if base and has_documents:
        home(base)


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
