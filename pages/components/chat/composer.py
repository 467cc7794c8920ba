"""The composer below the conversation: question field, and choice of documents, workflow, memory and web."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import timedelta
from time import monotonic_ns

import streamlit as st

from core.documents.model import KnowledgeBase
from core.documents.reading.inspection import MAX_MEGABYTES
from core.platform.clock import utc_now
from core.platform.errors import AppError
from core.runs.model import AttachedFile, Run
from pages.components.chat.actions import begin
from pages.components.chat.files import BROUGHT, hold_files, waiting_files
from pages.components.chat.saved import called, is_command, offer_saved, saved_picker
from pages.components.chat.scope import scope_chips, scope_picker
from pages.components.chat.state import (
    REFUSED,
    begun,
    choices,
    choose,
    choose_scope,
    open_thread,
    request_for,
    scope_turn,
    standing_scope,
    thread_id,
)
from pages.components.chat.workflow_choices import (
    engine_names,
    picture_of,
    promise_of,
    searches_web,
    title_of,
    workflow_names,
)
from pages.components.documents.bases import base_choice, own_base
from pages.components.run.live_html import live_html
from pages.components.run.run_words import engine_words
from pages.components.shell.boundary import show_error
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, render
from pages.components.shell.times import time_of_day

FIELD = "question"
MAX_PASTED = 100_000
"""Limit of the field, above that of a question: longer text is refused with a sentence instead of ignored silently."""
_ICONS = {"memory": ":material/neurology:", "web": ":material/public:"}


@dataclass(frozen=True, slots=True)
class RefusedText:
    """Why the last text that was sent is not asked; shown until the next one is sent or another chat is opened."""

    fault: AppError | None
    """None for a command that finds a question, which only leaves the conversation again."""
    thread: str
    number: int = field(default_factory=monotonic_ns)


def composer(base: KnowledgeBase | None, running: Run | None) -> None:
    """Draw the choices and the field; a question is started before the page is drawn."""
    with st.bottom:
        _pause_notice()
    with st.bottom, st.container(horizontal=True, vertical_alignment="center", gap="xsmall", key="composer"):
        if base:
            scope_chips(standing_scope(base.id), choose_scope)
        _choices_row(base)
        if running:
            st.space("stretch")
            _stop_button(running)
        # At once: its script keeps a second question in the field until the first is taken, also in the first run.
        is_new = bool(begun()) and not thread_id()
        live_html(f"sending-{begun()}", "sending", [("focus", _marker(focuses=is_new))])
    if BROUGHT in st.session_state:
        st.session_state[FIELD] = str(st.session_state[BROUGHT])[:MAX_PASTED]
    st.chat_input(
        _hint(base, running),
        key=FIELD,
        max_chars=MAX_PASTED,
        max_upload_size=MAX_MEGABYTES,
        accept_file="multiple",
        on_submit=_sent,
        args=(base.id if base else "",),
    )
    st.session_state.pop(BROUGHT, None)  # not before it is drawn, or a rerun could lose it
    with st.bottom:
        waiting_files(base, running, _ask)
        refused: RefusedText | None = st.session_state.get(REFUSED)
        if refused and refused.thread == thread_id():
            if refused.fault:
                show_error(refused.fault)
            live_html(f"refused-{refused.number}", "refused", [("fault" if refused.fault else "command", _marker())])
    offer_saved()


def _marker(focuses: bool = True) -> Html:
    return render("parts.html", "marker", focuses=focuses)


def _choices_row(base: KnowledgeBase | None) -> None:
    if base:
        base_choice(t("chat.ask.base"), base, f"chat-base-{base.id}", icon=":material/library_books:", width=190)
    _workflow_choice()
    if base:
        scope_picker(choices().scope.within(base.id), lambda scope: choose(scope=scope), scope_turn())
        saved_picker()
    _uses()


def _sent(base_id: str) -> None:
    """Start the question before the page is drawn, so that it is drawn once and with the question.

    A fault is told below the field, and the script of the page puts the question back into it.
    """
    st.session_state.pop(REFUSED, None)
    sent = st.session_state[FIELD]
    question = (sent.text if sent else "").strip()
    if sent and sent.files:
        hold_files(sent.files, question)
    elif is_command(question):
        st.session_state[REFUSED] = RefusedText(called(question), thread_id())
    elif question:
        _ask(question, base_id)


def _ask(question: str, base_id: str, attached: Sequence[AttachedFile] = ()) -> None:
    try:
        request = request_for(question, base_id or own_base().id)
        begin(replace(request, options=replace(request.options, attached=tuple(attached))))
    except AppError as error:
        if error.key == "storage.thread_gone":
            open_thread("")  # the chat was deleted in another tab
        st.session_state[REFUSED] = RefusedText(error, thread_id())
        if attached:
            st.session_state[BROUGHT] = question


def _pause_notice() -> None:
    """Shown while the endpoint is paused after a failure: until when, and a button to try now."""
    pause = services().model_pause()
    if pause is None:
        return
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key="model-pause"):
        until = time_of_day(utc_now() + timedelta(seconds=pause.seconds), st.context.timezone_offset)
        st.caption(f":material/warning: {t('chat.ask.paused', reason=t(pause.reason), time=until)}")
        st.button(t("chat.ask.try_now"), key="try-model-now", on_click=services().llm.resume)
        st.page_link("pages/settings.py", label=t("chat.turn.settings"), icon=":material/tune:")


def _hint(base: KnowledgeBase | None, running: Run | None) -> str:
    if running:
        return t("chat.ask.running")
    return t("chat.ask.hint", base=label(base.name, 40)) if base else t("chat.ask.no_base")


def _workflow_choice() -> None:
    current = choices().workflow
    with st.popover(
        title_of(current), icon=":material/account_tree:", help=t("chat.ask.workflow_help"), key="workflow"
    ):
        names = workflow_names()
        chosen = st.radio(
            t("chat.ask.workflow"),
            names,
            index=names.index(current) if current in names else 0,
            format_func=lambda name: t("chat.ask.default", name=title_of(name)) if name == names[0] else title_of(name),
            captions=[promise_of(name) for name in names],
            key="workflow-choice",
            on_change=lambda: choose(workflow=st.session_state["workflow-choice"]),
        )
        _engine_choice()
        picture = render("run/drawing.html", "framed", picture=picture_of(chosen or current))
        live_html("workflow-picture", "picture", [("drawing", picture)])


def _engine_choice() -> None:
    """Draw the choice of an engine: models and the built-in engine; nothing if there is only the latter."""
    first, *others = engine_names()
    if others:
        st.radio(
            t("chat.ask.engine"),
            ("", *others),
            index=others.index(choices().engine) + 1 if choices().engine in others else 0,
            format_func=lambda name: engine_words(name or first),
            key="engine-choice",
            on_change=lambda: choose(engine=st.session_state["engine-choice"]),
        )


def _uses() -> None:
    """Draw further choices: memory, and the web if a key for it is configured and the workflow searches it."""
    web = services().answering.web_configured and searches_web(choices().workflow)
    offered = ("memory", "web") if web else ("memory",)
    used = {"memory": choices().use_memory, "web": choices().use_web}
    shown = [name for name in offered if used[name]]
    if set(st.session_state.get("uses", ())) != set(shown):
        st.session_state["uses"] = shown  # Streamlit drops what was not offered and does not bring it back
    st.pills(
        t("chat.ask.uses"),
        offered,
        selection_mode="multi",
        format_func=lambda name: f"{_ICONS[name]} {t(f'chat.ask.{name}')}",
        key="uses",
        help="\n\n".join(f"{_ICONS[name]} {t(f'chat.ask.{name}_help')}" for name in offered),
        on_change=_take_uses,
        args=(offered,),
    )


def _take_uses(offered: Sequence[str]) -> None:
    """Store the further choices; one that is not offered stays as it was."""
    picked = st.session_state["uses"]
    choose(**{f"use_{name}": name in picked for name in offered})


def _stop_button(running: Run) -> None:
    st.button(
        t("chat.ask.stop"),
        icon=":material/stop_circle:",
        type="primary",
        key="stop",
        shortcut="Esc",
        on_click=_stop,
        args=(running.id,),
    )


def _stop(run_id: str) -> None:
    services().worker.stop(run_id)
