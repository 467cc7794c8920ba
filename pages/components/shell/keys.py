"""The sheet of keyboard shortcuts."""

import streamlit as st

from pages.components.shell.language import t

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


def keys_button() -> None:
    if st.button(t("frame.keys.title"), icon=":material/keyboard:", type="tertiary", key="keys", shortcut="Alt+K"):
        _show_keys()


def _show_keys() -> None:
    @st.dialog(t("frame.keys.title"))
    def dialog() -> None:
        rows = [f"| `{keys}` | {t(f'frame.keys.{deed}')} |" for deed, keys in KEYS]
        st.markdown("\n".join([f"| {t('frame.keys.key')} | {t('frame.keys.deed')} |", "|---|---|", *rows]))
        st.caption(t("frame.keys.more"))

    dialog()
