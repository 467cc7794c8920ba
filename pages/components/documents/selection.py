"""Selected documents, kept across list pages and filters."""

import streamlit as st

_KEY = "documents-selected"


def selected() -> frozenset[str]:
    return frozenset(st.session_state.get(_KEY, ()))


def select(document_id: str, widget: str) -> None:
    """Applies the state of the check box with the key `widget`."""
    chosen = selected() | {document_id} if st.session_state.get(widget) else selected() - {document_id}
    st.session_state[_KEY] = chosen


def select_all(document_ids: list[str]) -> None:
    st.session_state[_KEY] = frozenset(document_ids)
    _renew()


def clear_selection() -> None:
    st.session_state[_KEY] = frozenset()
    _renew()


def turn() -> int:
    """Number in the check boxes' keys, changed whenever the selection is set by code."""
    return int(st.session_state.get(f"{_KEY}-turn", 0))


def _renew() -> None:
    st.session_state[f"{_KEY}-turn"] = turn() + 1
