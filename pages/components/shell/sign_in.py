"""Sign-in with OpenID Connect: whether it is configured, and the screen that asks for it."""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

import streamlit as st

from core.errors import ConfigurationError
from pages.components.shell.language import t
from pages.components.shell.text import markdown_of

SECTION = "auth"
"""Of .streamlit/secrets.toml."""


@cache
def sign_in_configured() -> bool:
    """Raises ConfigurationError when it is, and cannot work."""
    if not (st.secrets.load_if_toml_exists() and SECTION in st.secrets):
        return False
    if find_spec("authlib") is None:
        raise ConfigurationError("people.sign_in.library")
    return True


def sign_in_screen() -> None:
    """In place of every page."""
    st.title(t("people.sign_in.title"), anchor=False)
    st.markdown(t("people.sign_in.about"))
    for name in _providers() or (None,):
        words = t("people.sign_in.with", name=markdown_of(name)) if name else t("people.sign_in.do")
        icon = ":material/login:"
        st.button(words, key=f"sign-in-{name}", icon=icon, type="primary", on_click=st.login, args=(name,))


def _providers() -> tuple[str, ...]:
    """Their names in the configuration; none where a single one has no name."""
    section = st.secrets[SECTION]
    return tuple(name for name, part in section.items() if isinstance(part, Mapping) and "client_id" in part)
