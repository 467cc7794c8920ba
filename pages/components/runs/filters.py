"""Filter bar of the list of runs."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import streamlit as st

from core.platform.clock import utc_now
from core.runs.model import AnswerOutcome, RunPurpose, RunStatus, Verdict
from core.runs.run_lists import PROBABLE, RunFilter
from pages.components.chat.workflow_choices import title_of, workflow_names
from pages.components.run.run_words import ending_words, engine_words
from pages.components.shell.language import t
from pages.components.shell.lists import search_field
from pages.components.shell.services import services
from pages.components.shell.text import label

DAYS = {"day": 1, "week": 7, "month": 30, "quarter": 90}
DEGRADED = "degraded"
_WITH_PROBABLE = {AnswerOutcome.ANSWERED: (AnswerOutcome.ANSWERED.value, PROBABLE)}
ENDINGS = (
    "",
    *(value for outcome in AnswerOutcome for value in _WITH_PROBABLE.get(outcome, (outcome.value,))),
    *(status.value for status in RunStatus if status is not RunStatus.DONE),
    DEGRADED,
    *(verdict.value for verdict in Verdict),
)
_KEYS = ("runs-query", "runs-workflow", "runs-ending", "runs-engine", "runs-time", "runs-purpose", "runs-base")


def filter_bar() -> RunFilter:
    with st.container(horizontal=True, vertical_alignment="center", key="runs-bar"):
        query = search_field(t("runs.search"), "runs-query", width=216)
        workflow = _choice("workflow", ("", *workflow_names()), title_of)
        ending = _choice("ending", ENDINGS, _ending_words)
        time = _choice("time", ("", *DAYS), lambda name: t(f"runs.time.{name}"))
        with st.popover(t("runs.more_filters"), icon=":material/filter_list:"):
            engines = services().storage.records.run_lists.engines()
            engine = _choice("engine", ("", *engines), lambda name: engine_words(label(name)))
            purpose = _choice("purpose", (*RunPurpose, ""), lambda name: t(f"runs.purpose.{name}"))
            base = _base_choice()
    return RunFilter(
        question=query,
        workflow=workflow,
        engine=engine,
        base_id=base,
        ending="" if ending == DEGRADED or ending in set(Verdict) else ending,
        verdict=ending if ending in set(Verdict) else "",
        degraded=ending == DEGRADED,
        purpose=RunPurpose(purpose) if purpose else None,
        since=(utc_now() - timedelta(days=DAYS[time])).replace(second=0, microsecond=0) if time else None,
    )


def _base_choice() -> str:
    """Draw the choice of a knowledge base; empty if there is only one."""
    names = {base.id: label(base.name, 40) for base in services().library.bases.all()}
    return _choice("base", ("", *names), lambda id: names.get(id, "")) if len(names) > 1 else ""


def clear_filters() -> None:
    for key in _KEYS:
        if key in st.session_state:
            # Assigned, because a browser keeps what is only forgotten here.
            st.session_state[key] = RunPurpose.CHAT if key == "runs-purpose" else ""


def _ending_words(ending: str) -> str:
    if ending in set(Verdict):
        return t(f"chat.feedback.{ending}")
    return t("runs.ending.degraded") if ending == DEGRADED else ending_words(ending)


def _choice(name: str, options: Sequence[str], words: Callable[[str], str]) -> str:
    chosen = st.selectbox(
        t(f"runs.{name}.label"),
        options,
        key=f"runs-{name}",
        format_func=lambda value: words(value) if value else t(f"runs.{name}.all"),
        label_visibility="collapsed",
        width=144,
    )
    return chosen or ""
