"""The whole graph as files to take away; each is made when its button is clicked."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

import streamlit as st

from core.graph.files import picture
from core.graph.files.exports import EXPORTS
from pages.components.graph.drawing import positions_of
from pages.components.graph.scope import GraphScope, shown
from pages.components.graph.seen import Seen, seen
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import t
from pages.components.shell.text import label

if TYPE_CHECKING:
    from core.app.services import Services


Make = Callable[..., str | bytes]


def export_buttons(base_id: str, scope: GraphScope) -> None:
    whole: dict[str, tuple[Make, str]] = {each.name: (each.whole, each.media_type) for each in EXPORTS.values()}
    view: dict[str, tuple[Make, str]] = {
        "kg_view.svg": (partial(view_svg, scope=scope), "image/svg+xml"),
        "kg_view.html": (partial(view_html, scope=scope), "text/html"),
    }
    opened = seen()
    for words, files in ((t("graph.export.label"), whole), (t("graph.export.view"), view)):
        st.caption(words)
        with st.container(horizontal=True, gap="xsmall", key=f"graph-export-{len(files)}"):
            for name, (make, kind) in files.items():
                _button(base_id, name, partial(make, opened, base_id), kind)


def _button(base_id: str, name: str, make: Make, kind: str) -> None:
    st.download_button(
        name,
        made_on_click(make, "graph.exported", base_id),
        file_name=name,
        mime=kind,
        icon=":material/download:",
        on_click="ignore",
        key=f"export-{name}",
    )


def view_svg(opened: "Services | Seen", base_id: str, scope: GraphScope) -> str:
    part = shown(opened.graph, base_id, scope)
    return picture.svg(part.view, positions_of(part), part.lines)


def view_html(opened: "Services | Seen", base_id: str, scope: GraphScope) -> str:
    """One file that needs no network and runs no script."""
    part = shown(opened.graph, base_id, scope)
    heads = [t(f"graph.{name}") for name in ("table.name", "edit.type", "panel.mentions", "table.aliases")]
    title = label(opened.library.bases.get(base_id).name)
    return picture.page(part.view, positions_of(part), part.lines, title, heads)
