"""Suggested merges: two entities side by side with what the documents say of each, and the reason."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence

import streamlit as st

from core.graph.duplicates.suggestions import (
    NEAR,
    Reason,
    Suggestion,
    best_named,
    by_meaning,
    compatible,
    suggestions,
    surest_first,
)
from core.graph.model import Entity
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.resolution import editing
from pages.components.documents.quote import quote_html
from pages.components.graph.edits import record, say_kept
from pages.components.graph.types import counts_of, entity_label, type_title
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of, render
from pages.components.shell.widgets import dialog

SHOWN = 6
SENTENCES = 2
PASSAGES = 50
"""Number of passages in which an acronym is looked for together with its possible expansion."""
_CHOSEN = "graph-duplicates-reason"


def duplicates_button(base_id: str) -> None:
    if st.button(t("graph.duplicates.open"), icon=":material/merge:", key="graph-duplicates"):
        dialog(t("graph.duplicates.title"), width="large")(duplicates_list)(base_id)


def duplicates_list(base_id: str) -> None:
    found = suggested(base_id)
    if not found:
        st.info(t("graph.duplicates.none"), icon=":material/check:")
        return
    st.caption(t("graph.duplicates.explain"))
    fitting = _chosen(found)
    shown = fitting[:SHOWN]
    spelled = [each for each in shown if each.reason.is_spelling]
    if len(spelled) > 1:
        _merge_shown(base_id, spelled)
    for group in by_person(shown):
        _group(base_id, group)
    if len(fitting) > SHOWN:
        st.caption(t("graph.duplicates.more", count=len(fitting) - SHOWN))


def _merge_shown(base_id: str, shown: Sequence[Suggestion]) -> None:
    """Merge the shown names that differ in spelling alone, once the reader has confirmed just these."""
    pairs = "-".join(id for each in shown for id in each.pair)
    with st.container(horizontal=True, gap="small", vertical_alignment="center"):
        looked = st.checkbox(t("graph.duplicates.looked"), key=f"graph-duplicates-looked-{pairs}")
        st.button(
            t("graph.duplicates.all", count=len(shown)),
            icon=":material/done_all:",
            key="graph-duplicates-all",
            disabled=not looked,
            on_click=_merge_together,
            args=(base_id, shown),
        )


def suggested(base_id: str) -> list[Suggestion]:
    graph, apart = services().graph, services().graph_edits.resolution(base_id).apart
    found = suggestions(graph.every(base_id), _Texts(), apart)
    known = {*apart, *(each.pair for each in found)}
    found += by_meaning(graph.counterparts(base_id, NEAR), _mentioned_together, known)
    return surest_first(found, _Texts())


class _Texts:
    """Texts of the base about two entities."""

    def documents_of(self, entity_ids: Sequence[str]) -> Mapping[str, Collection[str]]:
        return services().graph.documents_of(entity_ids)

    def passages(self, one: Entity, other: Entity) -> Sequence[str]:
        shared = services().graph.shared_chunks(one.id, other.id, PASSAGES)
        return [passage.chunk.text for passage in services().library.passages.get(shared)]


def _mentioned_together(one: Entity, other: Entity) -> bool:
    return any(each.relation == CO_OCCURS for each in services().graph.relations_between([one.id, other.id]))


def _chosen(found: Sequence[Suggestion]) -> list[Suggestion]:
    """Suggestions for the chosen reason; all of them, the surest first, if none is chosen."""
    counts = Counter(each.reason for each in found)
    reasons = [reason for reason in Reason if counts[reason]]
    if st.session_state.get(_CHOSEN) not in reasons:
        st.session_state[_CHOSEN] = None
    chosen = st.pills(
        t("graph.duplicates.reason"),
        reasons,
        format_func=lambda reason: f"{t(f'graph.duplicates.by.{reason}')} :small[:gray[{counts[reason]}]]",
        key=_CHOSEN,
        label_visibility="collapsed",
    )
    return [each for each in found if chosen in (None, each.reason)]


def _merge(base_id: str, keep: Entity, others: Sequence[Entity]) -> None:
    record(base_id, lambda: [editing.merge(keep, others)])


def _merge_together(base_id: str, chosen: Sequence[Suggestion]) -> None:
    fitting = compatible(chosen, services().graph_edits.resolution(base_id).apart)
    record(base_id, lambda: [editing.merge(each.keep, [each.other]) for each in fitting])


def _keep_apart(base_id: str, group: Sequence[Suggestion]) -> None:
    record(base_id, lambda: [editing.apart(each.keep, each.other) for each in group])


def by_person(found: Sequence[Suggestion]) -> list[list[Suggestion]]:
    """Suggestions in their order, with those about forms of one person's name grouped."""
    groups: list[list[Suggestion]] = []
    for each in found:
        same = (it for it in groups if each.reason.is_of_person and it[0].reason.is_of_person)
        joined = next((it for it in same if any({*each.pair} & {*other.pair} for other in it)), None)
        if joined is None:
            groups.append([each])
        else:
            joined.append(each)
    return groups


def _group(base_id: str, group: Sequence[Suggestion]) -> None:
    entities = list({it.id: it for each in group for it in (each.keep, each.other)}.values())
    keep = best_named(entities)
    others = [entity for entity in entities if entity is not keep]
    key = "-".join(sorted(entity.id for entity in entities))
    with st.container(border=True, gap="small", key=f"duplicate-{key}"):
        st.caption(" · ".join(dict.fromkeys(t(f"graph.duplicates.by.{each.reason}") for each in group)))
        columns = st.columns(2, gap="medium")
        for place, entity in enumerate((keep, *others)):
            with columns[place % 2]:
                _side(entity)
        say_kept(keep)
        with st.container(horizontal=True, gap="small", vertical_alignment="center"):
            st.button(
                t("graph.duplicates.merge", name=markdown_of(keep.name, 40)),
                type="primary",
                key=f"merge-{key}",
                on_click=_merge,
                args=(base_id, keep, others),
            )
            words = t("graph.duplicates.different")
            st.button(words, key=f"apart-{key}", on_click=_keep_apart, args=(base_id, group))


def _side(entity: Entity) -> None:
    st.markdown(entity_label(entity))
    st.html(render("graph/graph.html", "quiet", words=f"{type_title(entity.type)} · {counts_of(entity)}"))
    for view in services().graph.mentions(entity.id, SENTENCES):
        quoted = quote_html(label(view.sentence, 240), [view.mention.surface])
        st.html(render("graph/graph.html", "sentence", words=quoted))
