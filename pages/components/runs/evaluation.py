"""Evaluations on the page: choice of a list and of workflows, progress, and results."""

from collections.abc import Sequence

import streamlit as st

from core.runs.evaluation.comparing import last_time
from core.runs.evaluation.model import Evaluation, EvaluationStatus, QuestionList
from pages.components.chat.workflow_choices import title_of, workflow_names
from pages.components.documents.bases import base_picker, current_base
from pages.components.runs.evaluation_lists import LIST, add_list, show_cases
from pages.components.runs.evaluation_results import draw_results
from pages.components.runs.state import open_run
from pages.components.shell.boundary import show_error
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

_SHOWN = "evaluation-shown"
POLL_SECONDS = 1.0


def draw_evaluations() -> None:
    add_list()
    chosen = _chosen_list()
    if chosen is None:
        st.caption(t("evaluation.none"))
        return
    found = services().storage.records.evaluations.of_list(chosen.id)
    _start_bar(chosen)
    if not found:
        return
    shown = _shown(found)
    if services().answering.evaluator.is_under_way(shown):
        _progress(shown.id)
    else:
        _ended_bar(shown)
    clicked = draw_results(shown, last_time(shown, found), found)
    if clicked:
        open_run(clicked)
        st.rerun()


def _chosen_list() -> QuestionList | None:
    lists = {one.id: one for one in services().storage.records.evaluations.lists()}
    if not lists:
        return None
    if st.session_state.get(LIST) not in lists:
        st.session_state[LIST] = next(iter(lists))
    chosen = st.selectbox(
        t("evaluation.list"),
        list(lists),
        key=LIST,
        format_func=lambda key: label(lists[key].name, 80),
    )
    return lists[chosen]


def _start_bar(chosen: QuestionList) -> None:
    base = current_base()
    show_cases(chosen)
    with st.container(horizontal=True, vertical_alignment="bottom", key="evaluation-bar"):
        names = workflow_names()
        workflows = st.multiselect(
            t("runs.workflow.label"), names, default=names[:1], format_func=title_of, key="evaluation-workflows"
        )
        if base:
            base_picker(base)
        ready = bool(base and workflows and chosen.cases)
        if st.button(t("evaluation.start"), type="primary", icon=":material/play_arrow:", disabled=not ready) and base:
            _start(services().answering.evaluator.begin(chosen.id, base.id, workflows))


def _start(evaluation: Evaluation) -> None:
    services().answering.evaluator.start(evaluation.id)
    st.session_state[_SHOWN] = evaluation.id
    st.rerun()


def _shown(found: Sequence[Evaluation]) -> Evaluation:
    """Chosen evaluation, else the newest."""
    ids = [one.id for one in found]
    if st.session_state.get(_SHOWN) not in ids:
        st.session_state[_SHOWN] = ids[0]
    if len(found) == 1:
        return found[0]
    by_id = {one.id: one for one in found}
    chosen = st.selectbox(
        t("evaluation.which"), ids, key=_SHOWN, format_func=lambda key: _evaluation_words(by_id[key]), width=420
    )
    return by_id[chosen]


def _evaluation_words(one: Evaluation) -> str:
    """Name of an evaluation, which must not change, because Streamlit keeps showing the one at selection."""
    return f"{one.started_at:%Y-%m-%d %H:%M:%S} UTC · {', '.join(map(title_of, one.workflows))}"


@st.fragment(run_every=POLL_SECONDS)
def _progress(evaluation_id: str) -> None:
    store, evaluator = services().storage.records.evaluations, services().answering.evaluator
    evaluation = store.get(evaluation_id)
    if not evaluator.is_under_way(evaluation):
        st.rerun()
    done = len(store.results(evaluation_id))
    share = min(1.0, done / max(1, evaluation.questions))
    st.progress(share, t("evaluation.progress", done=done, count=evaluation.questions))
    st.button(
        t("evaluation.stop"),
        icon=":material/stop:",
        key="evaluation-stop",
        on_click=evaluator.stop,
        args=(evaluation_id,),
    )


def _ended_bar(shown: Evaluation) -> None:
    if shown.status is EvaluationStatus.DONE:
        return
    done = len(services().storage.records.evaluations.results(shown.id))
    with st.container(horizontal=True, vertical_alignment="center", key="evaluation-ended"):
        st.caption(t("evaluation.unfinished", done=done, count=shown.questions), width="content")
        if st.button(t("evaluation.go_on"), icon=":material/resume:", key="evaluation-go-on"):
            _start(shown)
    if fault := services().answering.evaluator.fault(shown.id):
        show_error(fault)
