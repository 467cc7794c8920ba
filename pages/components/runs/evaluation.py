"""Evaluations on the page: lists of questions, choice of a list and of workflows, progress, and results."""

from collections.abc import Sequence

import streamlit as st

from core.models.ports import BUILT_IN
from core.platform.errors import AppError
from core.runs.evaluation.comparing import last_time
from core.runs.evaluation.model import Case, Evaluation, EvaluationStatus, QuestionList, new_case
from core.runs.evaluation.question_files import MAX_CASES, cases_of, line_of
from core.runs.evaluation.written_questions import cases_from
from core.runs.model import Verdict
from core.runs.run_lists import RunFilter
from pages.components.chat.workflow_choices import title_of, workflow_names
from pages.components.documents.bases import base_picker, current_base
from pages.components.run.run_words import engine_words
from pages.components.runs.evaluation_results import draw_results
from pages.components.runs.opened import open_run
from pages.components.shell.boundary import refusals_shown, show_error
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

_SHOWN = "evaluation-shown"
POLL_SECONDS = 1.0
LIST = "evaluation-list"
"""Key of the selected list's id in the session."""
_TAKEN = "evaluation-taken"
MOST_SHOWN = 200


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


def add_list() -> None:
    with st.expander(t("evaluation.add"), icon=":material/playlist_add:", key="evaluation-add"):
        st.caption(t("evaluation.format"))
        file = st.file_uploader(t("evaluation.file"), type=["csv", "jsonl"], key="evaluation-file")
        if file and st.session_state.get(_TAKEN) != file.file_id:
            st.session_state[_TAKEN] = file.file_id
            with refusals_shown():
                _keep(label(file.name.rsplit(".", 1)[0], 80), cases_of(file.getvalue()))
        with st.container(horizontal=True):
            _offers()
    _making()


def show_cases(chosen: QuestionList) -> None:
    """Draw the questions and expectations of a list, and its download, which can be imported."""
    with st.expander(t("evaluation.count", count=chosen.cases), key="evaluation-cases"):
        cases = services().storage.records.evaluations.cases(chosen.id)
        words, kind, noted = t("evaluation.download"), "application/jsonl", ("evaluation.exported", chosen.id)
        download_button(words, "questions.jsonl", kind, lambda: "\n".join(map(line_of, cases)), *noted)
        st.markdown("\n".join(f"- {_line(case)}" for case in cases[:MOST_SHOWN]))
        if len(cases) > MOST_SHOWN:
            st.caption(t("evaluation.more", count=len(cases) - MOST_SHOWN))


def _line(case: Case) -> str:
    place = t("graph.panel.page", document=case.document, page=case.page) if case.page else case.document
    declined = t("evaluation.expects_none") if case.declined else ""
    expected = " · ".join(markdown_of(words, 120) for words in (case.answer, place, declined) if words)
    return f"{markdown_of(case.question, 300)} :gray[{expected}]" if expected else markdown_of(case.question, 300)


def _offers() -> None:
    engine = services().llm.engine
    by = "by_rule" if engine == BUILT_IN else "by_model"
    st.button(
        t("evaluation.write"),
        icon=":material/quiz:",
        key="evaluation-write",
        help=t(f"evaluation.write_help.{by}", engine=engine_words(engine)),
        on_click=_write,
    )
    st.button(
        t("evaluation.from_documents"),
        icon=":material/auto_stories:",
        key="evaluation-documents",
        help=t("evaluation.from_documents_help"),
        on_click=_from_names,
    )
    st.button(t("evaluation.from_thumbs"), icon=":material/thumb_down:", key="evaluation-thumbs", on_click=_from_thumbs)


def _keep(name: str, cases: Sequence[Case]) -> None:
    st.session_state[LIST] = services().storage.records.evaluations.keep_list(name, cases).id


def _from_thumbs() -> None:
    """Keep the questions with bad verdicts as a list, without expectations."""
    lines = services().storage.records.run_lists.find(RunFilter(verdict=Verdict.DOWN), MAX_CASES)
    if cases := [new_case(question, "", None) for question in dict.fromkeys(line.question for line in lines)]:
        _keep(t("evaluation.thumbs_list"), cases)
    else:
        st.toast(t("evaluation.no_thumbs"))


def _from_names() -> None:
    """Keep questions of names that occur on a single page of the base as a list."""
    base, opened = current_base(), services()
    cases = cases_from(base.id, opened.graph, opened.library.passages) if base else []
    if base and cases:
        _keep(t("evaluation.documents_list", base=label(base.name, 60)), cases)
    else:
        st.toast(t("evaluation.no_names"))


def _write() -> None:
    """Write questions in the background, because a model takes long."""
    base, answering = current_base(), services().answering
    if base is None:
        st.toast(t("evaluation.no_questions"))
        return
    try:
        name = t("evaluation.written_list", base=label(base.name, 60))
        answering.list_maker.start(base.id, name, answering.question_source)
    except AppError as error:
        st.toast(t(error.key, **error.params))


def _making() -> None:
    base, maker = current_base(), services().answering.list_maker
    making = maker.of_base(base.id) if base else None
    if base is None or making is None:
        return
    if not making.ended:
        _writing(base.id)
        return
    maker.forget(base.id)
    if making.fault:
        show_error(making.fault)
    if making.list_id:
        st.session_state[LIST] = making.list_id
        words = t("evaluation.written", count=making.questions, engine=engine_words(making.engine))
        if making.usage.model_calls:
            tokens = making.usage.prompt_tokens + making.usage.completion_tokens
            words += " " + t("evaluation.written_spent", count=making.usage.model_calls, tokens=f"{tokens:,}")
        if making.degradations:
            words += " " + t("evaluation.written_degraded", count=making.degradations)
        st.caption(words)
    elif not making.fault:
        st.caption(t("evaluation.no_questions"))


@st.fragment(run_every=POLL_SECONDS)
def _writing(base_id: str) -> None:
    making = services().answering.list_maker.of_base(base_id)
    if making is None or making.ended:
        st.rerun()
    words = t("evaluation.writing", read=making.read, passages=making.passages, count=making.questions)
    st.progress(min(1.0, making.read / max(1, making.passages)), words)
    st.button(t("evaluation.stop"), icon=":material/stop:", key="evaluation-write-stop", on_click=making.stop)
