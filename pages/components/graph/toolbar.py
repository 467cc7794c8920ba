"""Toolbar of the Graph page: hops, types (also the legend), counts of shown and hidden entities, downloads."""

from collections.abc import Callable, Mapping
from functools import partial
from itertools import pairwise

import streamlit as st

from core.graph.files.exports import EXPORTS, PICTURES, Export, drawing
from core.graph.layout.view_layout import USUAL
from core.graph.scope import HOPS, LIMITS, GraphScope, Shown
from pages.components.graph.drawing import Way
from pages.components.graph.filters import view_filters
from pages.components.graph.saved_views import saved_views
from pages.components.graph.seen import seen
from pages.components.graph.state import VIEWS, GraphState, bound, change, narrow, whole_picture
from pages.components.graph.types import type_sign, type_title
from pages.components.shell.downloads import download_button
from pages.components.shell.language import language, t
from pages.components.shell.text import markdown_of


def scope_line(state: GraphState, shown: Shown, way: Way) -> None:
    """Draw counts of shown and hidden entities; around a centre also the hops and the way back."""
    scope = state.scope
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="graph-scope"):
        if scope.centre:
            st.button(
                t("graph.overview"),
                icon=":material/arrow_back:",
                type="tertiary",
                key="graph-whole",
                on_click=whole_picture,
            )
        if scope.centre and not scope.exact:
            _hops(scope)
        st.caption(_counts(state, shown, way), help=_help(state), width="content")


def view_options(base_id: str, state: GraphState) -> None:
    scope = state.scope
    with st.popover(t("graph.view_options"), icon=":material/tune:"):
        view_filters(base_id, state)
        st.select_slider(t("graph.limit"), LIMITS, **bound("graph-limit", scope.limit, lambda most: narrow(limit=most)))
        saved_views(state)
        _export_buttons(base_id, scope, state.layout)


def _help(state: GraphState) -> str:
    kind = "exact" if state.scope.exact else "around" if state.scope.centre else "overview"
    told = [t(f"graph.explain.{kind}"), t("graph.explain.lines"), t("graph.legend_width")]
    if state.path or state.size == USUAL:  # the legend above the drawing tells other sizes
        told.append(t("graph.legend_mentions"))
    return " ".join(told)


def view_choice(state: GraphState) -> None:
    icons = dict(zip(VIEWS, ("hub", "bubble_chart", "table_rows", "compare_arrows"), strict=True))
    st.segmented_control(
        t("graph.view"),
        VIEWS,
        required=True,
        format_func=lambda view: f":material/{icons[view]}: {t(f'graph.view_{view}')}",
        label_visibility="collapsed",
        **bound("graph-view", state.view, lambda view: change(view=view)),
    )


def type_filter(counts: Mapping[str, int], scope: GraphScope) -> None:
    """Draw the filter by type, which is also the legend of the drawing. counts: of entities, by type."""
    st.pills(
        t("graph.types"),
        list(counts),
        selection_mode="multi",
        format_func=lambda name: f"{type_sign(name)} {markdown_of(type_title(name))} :small[:gray[{counts[name]:,}]]",
        label_visibility="collapsed",
        **bound("graph-types", list(scope.types), lambda names: narrow(types=tuple(names))),
    )


def _hops(scope: GraphScope) -> None:
    st.segmented_control(
        t("graph.hops"),
        HOPS,
        required=True,
        format_func=lambda hops: t(f"graph.scope.hop_{hops}"),
        label_visibility="collapsed",
        **bound("graph-hops", scope.hops, lambda hops: narrow(hops=hops)),
    )


def _counts(state: GraphState, shown: Shown, way: Way) -> str:
    scope, lines = state.scope, drawn_lines(state, shown, way)
    drawn, relations = f"{lines:,}", f"{len(shown.view.relations):,}"
    count = f"{shown.reached:,}"
    entities = t(_counted(scope, len(shown.view.entities)), shown=f"{len(shown.view.entities):,}", count=count)
    if len(shown.view.relations) == 1:
        return f"{entities} · {t('graph.scope.between_one')}"
    if lines == len(shown.view.relations):
        return f"{entities} · {t('graph.scope.between_all', total=relations)}"
    return f"{entities} · {t('graph.scope.between', shown=drawn, total=relations)}"


def _counted(scope: GraphScope, drawn: int) -> str:
    """Key of the words for what the drawn entities are counted of."""
    if scope.exact:
        return "graph.scope.exact_one" if drawn == 1 else "graph.scope.exact"
    is_filtered = not scope.centre and (scope.types or scope.narrowed)
    return "graph.scope.fitting" if is_filtered else "graph.scope.entities"


def drawn_lines(state: GraphState, shown: Shown, way: Way) -> int:
    """Number of relations with a visible line: weak ones have it with the selection and on the path (view.js)."""
    asked = {frozenset(pair) for pair in (state.edge or (), *(pair for leg in way for pair in pairwise(leg)))}
    weak = shown.view.relations[shown.lines :]
    return shown.lines + sum(
        state.selected in (each.source_id, each.target_id) or frozenset((each.source_id, each.target_id)) in asked
        for each in weak
    )


def _export_buttons(base_id: str, scope: GraphScope, layout: str) -> None:
    opened = seen()
    files = {form: each for form, each in EXPORTS.items() if form not in PICTURES}
    _export_group(
        "label", {each.name: (partial(each.whole, opened, base_id), each) for each in files.values()}, base_id
    )
    st.caption(t("graph.export.counted"))
    told = scope, language(), layout
    pictures = {
        EXPORTS[form].name: (partial(drawing, form, opened, base_id, *told), EXPORTS[form]) for form in PICTURES
    }
    _export_group("view", pictures, base_id)


def _export_group(words: str, files: Mapping[str, tuple[Callable[[], str | bytes], Export]], base_id: str) -> None:
    st.caption(t(f"graph.export.{words}"))
    with st.container(horizontal=True, gap="xsmall", key=f"graph-export-{len(files)}"):
        for name, (make, export) in files.items():
            noted, key = ("graph.exported", base_id), f"export-{name}"
            download_button(name, name, export.media_type, make, *noted, key=key)
