"""Named views of the graph: filters, layout, selection and everything else in the address."""

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from pages.components.graph.state import GraphState, address_of, keep, of_address
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

MOST = 30
MAX_NAME = 60
_KEPT = "graph-views"
_NAME = "graph-view-name"


def saved_views(state: GraphState) -> None:
    """Draw the saved views of the open knowledge base."""
    st.caption(t("graph.views.title"))
    for name, address in _of_base(state.base_id).items():
        with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
            opened = st.button(markdown_of(name, MAX_NAME), key=f"view-open-{name}", type="tertiary", width="stretch")
            st.button(
                "",
                key=f"view-drop-{name}",
                icon=":material/close:",
                type="tertiary",
                help=t("graph.views.drop", name=markdown_of(name, MAX_NAME)),
                on_click=_keep,
                args=(state.base_id, {**_of_base(state.base_id), name: None}),
            )
        if opened:
            keep(replace(of_address(address), base_id=state.base_id))
            st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(t("graph.views.name"), key=_NAME, max_chars=MAX_NAME, width="stretch", on_change="ignore")
        st.button(t("graph.views.save"), key="view-save", on_click=_save, args=(state,))


def _save(state: GraphState) -> None:
    if name := label(st.session_state.get(_NAME) or "", MAX_NAME).strip():
        _keep(state.base_id, {**_of_base(state.base_id), name: address_of(state)})
        st.session_state[_NAME] = ""


def _of_base(base_id: str) -> dict[str, dict[str, str]]:
    """Addresses of saved views by name, the newest last."""
    kept = services().storage.access.preferences.all().get(f"{_KEPT}-{base_id}")
    found = kept.items() if isinstance(kept, dict) else ()
    return {
        str(name): {str(k): str(v) for k, v in address.items()} for name, address in found if isinstance(address, dict)
    }


def _keep(base_id: str, views: Mapping[str, Mapping[str, str] | None]) -> None:
    kept = [(name, dict(address)) for name, address in views.items() if address is not None]
    services().storage.access.preferences.keep(f"{_KEPT}-{base_id}", dict(kept[-MOST:]))
