"""What the clicks in a conversation do. Their values come from the browser and are checked here."""

import json
from collections.abc import Callable

import streamlit as st

from core.domain.runs import MAX_QUESTION, Run
from core.runs.consent import Consent
from pages.components.chat.state import open_thread, request_for, show_run
from pages.components.chat.workflow_choices import workflow_names
from pages.components.documents.link import open_document
from pages.components.run.live_html import Action
from pages.components.shell.services import services

MAX_ENTITIES = 60


def act(run: Run, action: Action) -> None:
    """Does not return where it leads to another page or asks something. An unknown event does nothing."""
    if handle := _HANDLERS.get(action.event):
        handle(run, action.value)


def ask(question: str, base_id: str, workflow: str = "") -> None:
    """Start the run and show its conversation; raises AppError when it cannot start."""
    opened = services()
    run_id = opened.worker.start(request_for(question, base_id, workflow))
    open_thread(opened.runs.get(run_id).thread_id)
    st.rerun()


def _ask_again(run: Run, _value: str) -> None:
    services().llm.resume()
    ask(run.question, run.base_id, run.workflow)


def _ask_otherwise(run: Run, workflow: str) -> None:
    if workflow in workflow_names():
        ask(run.question, run.base_id, workflow)


def _ask_suggested(run: Run, question: str) -> None:
    if 0 < len(question) <= MAX_QUESTION:
        ask(question, run.base_id)


def _consent(run: Run, answer: str) -> None:
    if answer in set(Consent) - {Consent.UNANSWERED}:
        services().worker.answer(run.id, Consent(answer))


def _open_settings(_run: Run, _value: str) -> None:
    st.switch_page("pages/settings.py")


def _show_run(run: Run, _value: str) -> None:
    show_run(run.id)
    st.rerun()


def _open_document(_run: Run, value: str) -> None:
    fields = _fields(value)
    document, page, chunk = fields.get("document"), fields.get("page"), fields.get("chunk")
    if isinstance(document, str) and isinstance(page, int) and isinstance(chunk, str):
        open_document(document, page, chunk)


def _open_graph_of_chunk(_run: Run, value: str) -> None:
    chunk = _fields(value).get("chunk")
    entities = services().graph.of_chunks([chunk]).get(chunk, []) if isinstance(chunk, str) else []
    _open_graph([entity.id for entity in entities])


def _open_graph_of_entities(_run: Run, value: str) -> None:
    _open_graph([entity_id for entity_id in _listed(value) if isinstance(entity_id, str)])


def _open_graph(entity_ids: list[str]) -> None:
    listed = ",".join(entity_ids[:MAX_ENTITIES])
    st.switch_page("pages/graph.py", query_params={"entities": listed} if listed else None)


def _fields(value: str) -> dict[str, object]:
    read = _json(value)
    return read if isinstance(read, dict) else {}


def _listed(value: str) -> list[object]:
    read = _json(value)
    return read if isinstance(read, list) else []


def _json(value: str) -> object:
    try:
        return json.loads(value)
    except ValueError:
        return None


_HANDLERS: dict[str, Callable[[Run, str], None]] = {
    "again": _ask_again,
    "retry": _ask_otherwise,
    "ask": _ask_suggested,
    "consent": _consent,
    "settings": _open_settings,
    "run": _show_run,
    "document": _open_document,
    "graph": _open_graph_of_chunk,
    "entities": _open_graph_of_entities,
}
"""By event; each gets the run whose answer was clicked and the event's value."""
