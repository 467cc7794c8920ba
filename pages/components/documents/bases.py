"""The open knowledge base and its picker, and the open document, which other pages link to."""

from typing import Any

import streamlit as st

from core.documents.model import KnowledgeBase
from core.platform.identity import acting_id
from core.platform.ids import content_id
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import choice

CURRENT = "base"
"""Session key, query parameter and preference of the id."""
_LAST = "base-last"
DOCUMENT, PAGE, CHUNK = "document", "page", "chunk"


def document_query(document_id: str, page: int | None = None, chunk_id: str = "") -> dict[str, str]:
    """Query parameters of the Documents page; `page` is 0-based, the address 1-based."""
    query = {DOCUMENT: document_id}
    if page is not None:
        query[PAGE] = str(page + 1)
    if chunk_id:
        query[CHUNK] = chunk_id
    return query


def open_document(document_id: str, page: int | None = None, chunk_id: str = "") -> None:
    """Switches to the document; does not return."""
    st.switch_page("pages/documents.py", query_params=document_query(document_id, page, chunk_id))


def close_document() -> None:
    """Returns to the list by removing the document from the address."""
    for name in (DOCUMENT, PAGE, CHUNK):
        st.query_params.pop(name, None)


def current_base() -> KnowledgeBase | None:
    """Base chosen in this session, else in the address, else last, else the first; None if there is none."""
    bases = services().library.bases.all()
    if not bases:
        return None
    known = {base.id for base in bases}
    wanted = (st.session_state.get(CURRENT, ""), st.query_params.get(CURRENT, ""))
    found = next((base_id for base_id in wanted if base_id in known), "") or _chosen_last()
    return services().library.bases.get(found if found in known else bases[0].id)  # by name, so that opening is noted


def use_base(base_id: str) -> None:
    """Select the base, also for reloads and new windows."""
    if st.session_state.get(CURRENT) != base_id:
        services().storage.access.preferences.keep(CURRENT, base_id)
    st.session_state[CURRENT] = base_id


def _chosen_last() -> str:
    """Id of the last chosen base, read once a session."""
    if _LAST not in st.session_state:
        st.session_state[_LAST] = str(services().storage.access.preferences.all().get(CURRENT, ""))
    return str(st.session_state[_LAST])


def base_picker(current: KnowledgeBase, width: int = 260) -> None:
    """Draw a picker of knowledge bases, `width` pixels wide; just the name if there is only one."""
    bases = services().library.bases.all()
    if len(bases) < 2:
        st.caption(markdown_of(current.name, 60), width="content")
        return
    key = f"base-picker-{current.id}-{content_id(current.name)}"  # a widget that is kept would show the old name
    base_choice(t("documents.base.label"), current, key, width=width)


def base_choice(words: str, current: KnowledgeBase, key: str, **looks: Any) -> None:
    """Draw the choice of the open base."""
    names = {base.id: label(base.name, 60) for base in services().library.bases.all()}
    looks |= {"index": list(names).index(current.id), "on_change": lambda: use_base(st.session_state[key])}
    choice(words, list(names), key, lambda base_id: names.get(base_id, ""), **looks)


def own_base() -> KnowledgeBase:
    """Base for files that should not go to the sample or a read-only base; created if necessary."""
    bases = services().library.bases
    name = t("documents.base.default")
    base = bases.named(name)
    if base is None or base.owner_id != acting_id():
        base = bases.create(name)
    use_base(base.id)
    return base


def sample_button() -> None:
    if st.button(t("documents.sample"), icon=":material/auto_stories:", help=t("documents.sample_help"), key="sample"):
        use_base(services().lifecycle.load_sample().id)
        st.switch_page("pages/documents.py")
