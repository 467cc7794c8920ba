"""Downloads of the whole graph as files, each made when its button is clicked."""

from collections.abc import Callable, Mapping
from functools import partial

import streamlit as st

from core.graph.files.exports import EXPORTS, PICTURES, Export, drawing
from core.graph.scope import GraphScope
from pages.components.graph.seen import seen
from pages.components.shell.downloads import made_on_click
from pages.components.shell.language import language, t


def export_buttons(base_id: str, scope: GraphScope, layout: str) -> None:
    opened = seen()
    files = {form: each for form, each in EXPORTS.items() if form not in PICTURES}
    _buttons("label", {each.name: (partial(each.whole, opened, base_id), each) for each in files.values()}, base_id)
    told = scope, language(), layout
    pictures = {
        EXPORTS[form].name: (partial(drawing, form, opened, base_id, *told), EXPORTS[form]) for form in PICTURES
    }
    _buttons("view", pictures, base_id)


def _buttons(words: str, files: Mapping[str, tuple[Callable[[], str | bytes], Export]], base_id: str) -> None:
    st.caption(t(f"graph.export.{words}"))
    with st.container(horizontal=True, gap="xsmall", key=f"graph-export-{len(files)}"):
        for name, (make, export) in files.items():
            _button(base_id, name, make, export.media_type)


def _button(base_id: str, name: str, make: Callable[[], str | bytes], kind: str) -> None:
    st.download_button(
        name,
        made_on_click(make, "graph.exported", base_id),
        file_name=name,
        mime=kind,
        icon=":material/download:",
        on_click="ignore",
        key=f"export-{name}",
    )
