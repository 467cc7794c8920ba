"""The frame around every page: navigation, theme, language, engine. Each page begins with require_frame()."""

import logging
from base64 import b64encode
from collections.abc import Collection
from contextlib import nullcontext
from contextvars import ContextVar
from copy import copy
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from core.app.selfcheck import Finding, problems
from core.models.ports import BUILT_IN
from core.platform.errors import AppError
from core.platform.identity import Person, ask_who_acts
from core.platform.settings.settings import Settings
from core.platform.texts import text
from pages.components.run.live_html import live_html
from pages.components.shell.identity import page_person
from pages.components.shell.language import keep_language, language, language_picker, picked_language, t, use_language
from pages.components.shell.lifespan import note_page_drawn
from pages.components.shell.services import first_page, opened, services
from pages.components.shell.sign_in import sign_in_configured, sign_in_screen
from pages.components.shell.style import add_house_style
from pages.components.shell.text import markdown_of, render
from pages.components.shell.widgets import begin_without_dialog

if TYPE_CHECKING:
    from core.app.services import Services

KEYS = (
    ("new", "Alt+N"),
    ("send", "Enter"),
    ("line", "Shift+Enter"),
    ("stop", "Esc"),
    ("cite", "Alt+C"),
    ("close", "Esc"),
    ("sheet", "Alt+K"),
)
"""Actions (texts under frame.keys) and their keys."""
ASSETS = Path(__file__).parents[3] / "assets"
LOOK_AGAIN_SECONDS = 60.0
_DRAWN = "frame-drawn"
_LOG = logging.getLogger(__name__)
_ROOM_SIDEBAR: ContextVar[DeltaGenerator | None] = ContextVar("room_sidebar", default=None)


@dataclass(frozen=True, slots=True)
class PageEntry:
    name: str
    """File under pages/ and key of the title under frame.rooms."""
    icon: str


PAGE_ENTRIES = (
    PageEntry("chat", ":material/forum:"),
    PageEntry("graph", ":material/hub:"),
    PageEntry("documents", ":material/description:"),
    PageEntry("memory", ":material/neurology:"),
    PageEntry("runs", ":material/footprint:"),
    PageEntry("settings", ":material/tune:"),
)


def run_frame() -> None:
    """Draws the shared parts, then the page in the address. Called by app.py in each run of the script."""
    st.session_state[_DRAWN] = True
    begin_without_dialog()
    keep_language()
    with use_language(language()):  # once: every text of the page asks for it
        _draw_frame()


def _draw_frame() -> None:
    pages = _pages()
    page = st.navigation(pages, position="hidden")
    st.set_page_config(f"{page.title} · GraphTalk", _picture("favicon.png", "image/png"), layout="wide")
    mark = _picture("mark.svg", "image/svg+xml")
    st.logo(_picture("logo.svg", "image/svg+xml"), size="large", icon_image=mark)
    add_house_style()
    person = _person()
    if sign_in_configured() and person is None:
        sign_in_screen()
        return
    with st.sidebar:
        _draw_rooms(pages)
        _ROOM_SIDEBAR.set(st.container(key="room-sidebar"))
        foot = st.container(key="sidebar-foot")
    with foot:
        language_picker()
        if picked_language():
            live_html("picked-language", "language", [(picked_language(), render("parts.html", "marker"))])
        _keys_button()
        engine = st.empty()
        if person:
            _draw_person(person)
    told = _open_services(engine)
    try:
        page.run()
    except AppError as error:
        if error.sentence(language()) not in told:
            raise
        _LOG.warning("%s", error)  # the page ends here for a reason that stands above it
    finally:
        first_page.set()
        note_page_drawn()


def _person() -> Person | None:
    """Person who is signed in; None without sign-in."""
    if not sign_in_configured():
        return None
    ask_who_acts(page_person)
    return page_person()


def _draw_person(person: Person) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="person"):
        st.caption(t("people.signed_in", name=markdown_of(person.name, 40)), width="content")
        icon = ":material/logout:"
        st.button(t("people.sign_out"), icon=icon, type="tertiary", key="sign-out", on_click=st.logout)


def require_frame() -> None:
    """The first line of every page: comes back through app.py when Streamlit ran the page file alone.

    Streamlit does that for a deep link that is the first request after a start, because the folder is called pages/.
    Naming our navigation ends it; the address, with its query, stays.
    """
    if not st.session_state.get(_DRAWN):
        st.navigation(_pages(), position="hidden")
        st.rerun()


def room_sidebar() -> DeltaGenerator:
    """The page's own part of the sidebar, between navigation and footer."""
    return _ROOM_SIDEBAR.get() or st.sidebar


@cache
def _picture(name: str, kind: str) -> str:
    """Picture as a data URL, because Streamlit would read a file for every page."""
    return f"data:{kind};base64,{b64encode((ASSETS / name).read_bytes()).decode()}"


def _pages() -> list[st.Page]:
    """Copies of the pages, because a page stores whether it may be drawn in this run."""
    return [copy(page) for page in _pages_in(language())]


@cache
def _pages_in(interface: str) -> list[st.Page]:
    """Pages without icons, which Streamlit would use for the tab and fetch from another host.

    Made once, because Streamlit looks for the file of each.
    """
    return [
        st.Page(
            f"pages/{room.name}.py", title=text(f"frame.rooms.{room.name}", interface), default=room is PAGE_ENTRIES[0]
        )
        for room in PAGE_ENTRIES
    ]


def _draw_rooms(pages: list[st.Page]) -> None:
    with st.container(key="rooms", gap="xxsmall"):
        for page, room in zip(pages, PAGE_ENTRIES, strict=True):
            st.page_link(page, icon=room.icon, width="stretch")


def _open_services(engine: DeltaGenerator) -> Collection[str]:
    """Waits for the services on the first page after a start, when the frame is already visible.

    Returns the sentences about what is wrong with the installation, which it has shown.
    """
    with nullcontext() if opened.is_set() else st.spinner(t("frame.starting")):
        made = services()
    engine.caption(_engine_words(made))
    return _show_problems(made.settings)


def _engine_words(made: "Services") -> str:
    """Name of the engine that answers now; not the model while it is paused after a failure."""
    engine = made.llm.engine
    if engine == BUILT_IN:
        return t("frame.engine.built_in")
    return t("frame.engine.paused" if made.model_pause() else "frame.engine.model", name=markdown_of(engine))


def _show_problems(settings: Settings) -> Collection[str]:
    sentences = dict.fromkeys(finding.sentence_in(language()) for finding in _problems(settings))
    if sentences:
        listed = [f"- {markdown_of(sentence)}" for sentence in sentences]
        st.warning("\n".join([f"**{t('frame.selfcheck')}**", "", *listed]), icon=":material/build:")
    return sentences


@st.cache_data(ttl=LOOK_AGAIN_SECONDS, show_spinner=False, hash_funcs={Settings: hash})
def _problems(settings: Settings) -> list[Finding]:
    """Problems of the installation; looked for again after a while, because somebody may have solved them."""
    return problems(settings)


def _keys_button() -> None:
    if st.button(t("frame.keys.title"), icon=":material/keyboard:", type="tertiary", key="keys", shortcut="Alt+K"):
        st.dialog(t("frame.keys.title"))(_show_keys)()


def _show_keys() -> None:
    rows = [f"| `{keys}` | {t(f'frame.keys.{deed}')} |" for deed, keys in KEYS]
    st.markdown("\n".join([f"| {t('frame.keys.key')} | {t('frame.keys.deed')} |", "|---|---|", *rows]))
    st.caption(t("frame.keys.more"))
