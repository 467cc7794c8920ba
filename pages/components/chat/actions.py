"""What the clicks in a conversation do. Their values come from the browser and are checked here."""

import json

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
    """Does not return where it leads to another page or asks something."""
    if action.event == "again":
        services().llm.resume()
        ask(run.question, run.base_id, run.workflow)
    elif action.event == "retry" and action.value in workflow_names():
        ask(run.question, run.base_id, action.value)
    elif action.event == "ask" and 0 < len(action.value) <= MAX_QUESTION:
        ask(action.value, run.base_id)
    elif action.event == "consent" and action.value in set(Consent) - {Consent.UNANSWERED}:
        services().worker.answer(run.id, Consent(action.value))
    elif action.event == "settings":
        st.switch_page("pages/settings.py")
    elif action.event == "run":
        show_run(run.id)
        st.rerun()
    elif action.event == "document":
        _open_document(_fields(action.value))
    elif action.event == "graph":
        _open_graph(_entities_of_chunk(_fields(action.value)))
    elif action.event == "entities":
        _open_graph([name for name in _listed(action.value) if isinstance(name, str)])


def ask(question: str, base_id: str, workflow: str = "") -> None:
    """Start the run and show its conversation; raises AppError when it cannot start."""
    opened = services()
    run_id = opened.worker.start(request_for(question, base_id, workflow))
    open_thread(opened.runs.get(run_id).thread_id)
    st.rerun()


def _open_document(fields: dict[str, object]) -> None:
    document, page, chunk = fields.get("document"), fields.get("page"), fields.get("chunk")
    if isinstance(document, str) and isinstance(page, int) and isinstance(chunk, str):
        open_document(document, page, chunk)


def _entities_of_chunk(fields: dict[str, object]) -> list[str]:
    chunk = fields.get("chunk")
    if not isinstance(chunk, str):
        return []
    return [entity.id for entity in services().graph.of_chunks([chunk]).get(chunk, [])]


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
