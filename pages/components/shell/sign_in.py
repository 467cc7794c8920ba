"""Sign-in with OpenID Connect: whether it is configured, and the screen that asks for it."""

from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec

import streamlit as st

from core.platform.errors import ConfigurationError
from pages.components.shell.language import language_picker, t
from pages.components.shell.text import markdown_of

SECTION = "auth"
"""Section of .streamlit/secrets.toml."""


@cache
def sign_in_configured() -> bool:
    """Whether sign-in is configured; raises ConfigurationError for an invalid configuration."""
    if not (st.secrets.load_if_toml_exists() and SECTION in st.secrets):
        return False
    if find_spec("authlib") is None:
        raise ConfigurationError("people.sign_in.library")
    return True


def sign_in_screen() -> None:
    """Draw the sign-in screen instead of the page."""
    with (
        st.container(horizontal=True, horizontal_alignment="center"),
        st.container(border=True, width=440, gap="medium", key="sign-in"),
    ):
        st.title(t("people.sign_in.title"), anchor=False)
        st.markdown(t("people.sign_in.about"))
        for name in _providers() or (None,):
            words = t("people.sign_in.with", name=markdown_of(name)) if name else t("people.sign_in.do")
            icon = ":material/login:"
            st.button(
                words,
                key=f"sign-in-{name}",
                icon=icon,
                type="primary",
                width="stretch",
                on_click=st.login,
                args=(name,),
            )
        language_picker()


def _providers() -> tuple[str, ...]:
    """Names of the providers in the configuration; empty for a single one without a name."""
    section = st.secrets[SECTION]
    return tuple(name for name, part in section.items() if isinstance(part, Mapping) and "client_id" in part)
