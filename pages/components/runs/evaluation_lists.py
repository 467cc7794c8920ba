"""Adds lists of questions for evaluations: from a file, from thumbs, from the documents."""

from collections.abc import Sequence

import streamlit as st

from core.models.ports import BUILT_IN
from core.platform.errors import AppError
from core.runs.evaluation.model import Case, QuestionList, new_case
from core.runs.evaluation.question_files import MAX_CASES, cases_of, line_of
from core.runs.evaluation.written_questions import cases_from
from core.runs.model import Verdict
from core.runs.run_lists import RunFilter
from pages.components.documents.bases import current_base
from pages.components.run.run_words import engine_words
from pages.components.shell.boundary import show_error
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

LIST = "evaluation-list"
"""Key of the selected list's id in the session."""
_TAKEN = "evaluation-taken"
POLL_SECONDS = 1.0
MOST_SHOWN = 200


def add_list() -> None:
    with st.expander(t("evaluation.add"), icon=":material/playlist_add:", key="evaluation-add"):
        st.caption(t("evaluation.format"))
        file = st.file_uploader(t("evaluation.file"), type=["csv", "jsonl"], key="evaluation-file")
        if file and st.session_state.get(_TAKEN) != file.file_id:
            st.session_state[_TAKEN] = file.file_id
            try:
                _keep(label(file.name.rsplit(".", 1)[0], 80), cases_of(file.getvalue()))
            except AppError as error:
                show_error(error)
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
        _progress(base.id)
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
def _progress(base_id: str) -> None:
    making = services().answering.list_maker.of_base(base_id)
    if making is None or making.ended:
        st.rerun()
    words = t("evaluation.writing", read=making.read, passages=making.passages, count=making.questions)
    st.progress(min(1.0, making.read / max(1, making.passages)), words)
    st.button(t("evaluation.stop"), icon=":material/stop:", key="evaluation-write-stop", on_click=making.stop)
