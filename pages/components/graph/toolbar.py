"""Toolbar of the Graph page: hops, types (also the legend), counts, filters, saved views, downloads."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime
from functools import partial
from itertools import pairwise

import streamlit as st

from core.graph.files.exports import EXPORTS, PICTURES, Export, drawing
from core.graph.layout.view_layout import LAYOUTS, MEASURES, USUAL
from core.graph.scope import HOPS, LIMITS, MOST_LEAST, RELATIONS, GraphScope, Shown
from core.platform.errors import NotFoundError
from pages.components.graph.drawing import Way
from pages.components.graph.seen import seen
from pages.components.graph.state import (
    COMMUNITY,
    SHADE,
    VIEWS,
    GraphState,
    address_of,
    bound,
    change,
    keep,
    narrow,
    of_address,
    pages_in_words,
    pages_of,
    whole_picture,
)
from pages.components.graph.types import type_sign, type_title
from pages.components.shell.downloads import download_button
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import icon_button, one_of

MOST_DOCUMENTS = 500
REFUSED = "graph-pages-refused"
"""Session key of an invalid page range."""
MOST_VIEWS = 30
MAX_VIEW_NAME = 60
_KEPT_VIEWS = "graph-views"
_VIEW_NAME = "graph-view-name"


def view_filters(base_id: str, state: GraphState) -> None:
    _look(state)
    _colour(state)
    _document(base_id, state.scope)
    with st.container(horizontal=True, gap="small"):
        _pages(state.scope)
        _confidence(state.scope)
    if st.session_state.get(REFUSED):
        st.error(t("graph.filter.pages_refused"))
    with st.container(horizontal=True, gap="small"):
        _day("since", state.scope.since)
        _day("until", state.scope.until)
    with st.container(horizontal=True, gap="small"):
        _least("mentions", state.scope.mentions, 1)
        _least("links", state.scope.links, 0)
    _relations(state.scope)


def _colour(state: GraphState) -> None:
    now = COMMUNITY if state.communities else SHADE if state.shaded else "type"
    bond = bound("graph-colour", now, lambda kind: change(communities=kind == COMMUNITY, shaded=kind == SHADE))
    words, kinds = t("graph.filter.colour"), ("type", COMMUNITY, SHADE)
    one_of(words, kinds, lambda kind: t(f"graph.filter.colour_{kind}"), label_visibility="visible", **bond)


def _look(state: GraphState) -> None:
    """Draw the choices of layout and of the measure that sizes show."""
    with st.container(horizontal=True, gap="small"):
        _kind("layout", LAYOUTS, state.layout)
        _kind("size", MEASURES, state.size)


def _kind(name: str, kinds: Sequence[str], now: str) -> None:
    words = t(f"graph.filter.{name}")
    bond = bound(f"graph-{name}", now, lambda kind: change(**{name: kind}))
    st.selectbox(words, kinds, format_func=lambda kind: t(f"graph.{name}.{kind}"), **bond)


def _document(base_id: str, scope: GraphScope) -> None:
    ready = services().library.documents.ready_names(base_id, MOST_DOCUMENTS)
    names = {"": t("graph.filter.every_document")} | {id: label(name, 60) for id, name in ready.items()}
    if scope.document not in names:
        names[scope.document] = _name_of(scope.document)
    bond = bound("graph-document", scope.document, lambda id: narrow(document=id))
    st.selectbox(t("graph.filter.document"), list(names), format_func=lambda id: names.get(id, ""), **bond)


def _name_of(document_id: str) -> str:
    """Name of a document that is not among the listed ones."""
    try:
        return label(services().library.documents.get(document_id).name, 60)
    except NotFoundError:
        return t("graph.filter.document_gone")


def _pages(scope: GraphScope) -> None:
    bond = bound("graph-pages", st.session_state.get(REFUSED) or pages_in_words(scope.pages), _take_pages)
    st.text_input(t("graph.filter.pages"), max_chars=12, placeholder=t("graph.filter.pages_hint"), **bond)


def _take_pages(words: str) -> None:
    pages = pages_of(words)
    st.session_state[REFUSED] = words if pages is None else ""
    if pages is not None:
        narrow(pages=pages)


def _confidence(scope: GraphScope) -> None:
    bond = bound("graph-confidence", scope.confidence, lambda share: narrow(confidence=int(share)))
    st.number_input(t("graph.filter.confidence"), 0, 100, step=5, **bond)


def _day(name: str, value: str) -> None:
    """Draw the choice of a date: what is new since, or what was known by then."""
    now = date.fromisoformat(value) if value else None
    bond = bound(f"graph-{name}", now, lambda day: narrow(**{name: day.isoformat() if day else ""}))
    today, about = datetime.now(UTC).date(), t(f"graph.filter.{name}_help")
    st.date_input(t(f"graph.filter.{name}"), max_value=today, help=about, **bond)


def _least(name: str, value: int, least: int) -> None:
    bond = bound(f"graph-least-{name}", value, lambda number: narrow(**{name: int(number)}))
    st.number_input(t(f"graph.filter.{name}"), least, MOST_LEAST, **bond)


def _relations(scope: GraphScope) -> None:
    bond = bound("graph-relations", scope.relations, lambda kind: narrow(relations=kind))
    words = t("graph.filter.relations")
    one_of(words, RELATIONS, lambda kind: t(f"graph.filter.relations_{kind}"), label_visibility="visible", **bond)


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
    bond = bound("graph-view", state.view, lambda view: change(view=view))
    one_of(t("graph.view"), VIEWS, lambda view: f":material/{icons[view]}: {t(f'graph.view_{view}')}", **bond)


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
    bond = bound("graph-hops", scope.hops, lambda hops: narrow(hops=hops))
    one_of(t("graph.hops"), HOPS, lambda hops: t(f"graph.scope.hop_{hops}"), **bond)


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


def saved_views(state: GraphState) -> None:
    """Draw the saved views of the open knowledge base."""
    st.caption(t("graph.views.title"))
    for name, address in _of_base(state.base_id).items():
        with st.container(horizontal=True, wrap=False, gap=None, vertical_alignment="center"):
            opened = st.button(
                markdown_of(name, MAX_VIEW_NAME), key=f"view-open-{name}", type="tertiary", width="stretch"
            )
            words, others = t("graph.views.drop", name=markdown_of(name, MAX_VIEW_NAME)), _of_base(state.base_id)
            icon_button("close", words, f"view-drop-{name}", _keep, state.base_id, {**others, name: None})
        if opened:
            keep(replace(of_address(address), base_id=state.base_id))
            st.rerun()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input(
            t("graph.views.name"), key=_VIEW_NAME, max_chars=MAX_VIEW_NAME, width="stretch", on_change="ignore"
        )
        st.button(t("graph.views.save"), key="view-save", on_click=_save, args=(state,))


def _save(state: GraphState) -> None:
    if name := label(st.session_state.get(_VIEW_NAME) or "", MAX_VIEW_NAME).strip():
        _keep(state.base_id, {**_of_base(state.base_id), name: address_of(state)})
        st.session_state[_VIEW_NAME] = ""


def _of_base(base_id: str) -> dict[str, dict[str, str]]:
    """Addresses of saved views by name, the newest last."""
    kept = services().storage.access.preferences.all().get(f"{_KEPT_VIEWS}-{base_id}")
    found = kept.items() if isinstance(kept, dict) else ()
    return {
        str(name): {str(k): str(v) for k, v in address.items()} for name, address in found if isinstance(address, dict)
    }


def _keep(base_id: str, views: Mapping[str, Mapping[str, str] | None]) -> None:
    kept = [(name, dict(address)) for name, address in views.items() if address is not None]
    services().storage.access.preferences.keep(f"{_KEPT_VIEWS}-{base_id}", dict(kept[-MOST_VIEWS:]))
