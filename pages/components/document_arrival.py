"""A file on its way in: asked about when it changes another one or costs money, else taken at once."""

from dataclasses import dataclass, replace

import streamlit as st

from core.domain.documents import DocumentStatus, Effort
from core.errors import AppError
from core.ingest.preview import preview_upload
from pages.components.boundary import sentence_of
from pages.components.document_notices import notify
from pages.components.language import t
from pages.components.services import services

_CHANGED, _COSTLY = "documents-changed", "documents-costly"


@dataclass(frozen=True, slots=True)
class Arrival:
    name: str
    data: bytes
    base_id: str
    parser: str = ""
    """That of the settings when empty."""
    replaces: str = ""
    """Id of the document that goes when this one is ready."""
    effort: Effort | None = None
    """What it will take, when a model reads along."""


def arrive(arrival: Arrival) -> None:
    """One under a name that is taken waits for the reader's word."""
    if services().intake.earlier(arrival.base_id, arrival.name, arrival.data):
        hold(_CHANGED, arrival)
    else:
        begin(arrival)


def begin(arrival: Arrival) -> None:
    """One that a model reads along waits with its estimate; everything else starts."""
    effort = _effort(arrival) if reads_by_model() else None
    if effort and effort.model_calls:
        hold(_COSTLY, replace(arrival, effort=effort))
    else:
        take(arrival)


def take(arrival: Arrival) -> None:
    """Into the knowledge base; what is refused or already there is told."""
    try:
        document, new = services().intake.add(
            arrival.base_id, arrival.name, arrival.data, arrival.replaces, arrival.parser
        )
        if arrival.effort and new:
            services().library.record_estimate(document.id, replace(arrival.effort, agreed=True))
    except AppError as error:
        notify("refused", sentence_of(error))
        return
    if not new and document.status is DocumentStatus.READY:
        notify("known", t("documents.upload.known", name=arrival.name, known=document.name), opens=document.id)


def reads_by_model() -> bool:
    """Whether extraction asks a model, which may cost money."""
    return services().settings.extraction == "model" and services().llm.engine != "built-in"


def changed(base_id: str) -> list[Arrival]:
    return [arrival for arrival in _held(_CHANGED) if arrival.base_id == base_id]


def costly(base_id: str) -> list[Arrival]:
    return [arrival for arrival in _held(_COSTLY) if arrival.base_id == base_id]


def let_go(*arrivals: Arrival) -> None:
    """They wait no longer."""
    for key in (_CHANGED, _COSTLY):
        st.session_state[key] = [held for held in _held(key) if not any(held is gone for gone in arrivals)]


def hold(key: str, arrival: Arrival) -> None:
    st.session_state[key] = [*_held(key), arrival]


def _held(key: str) -> list[Arrival]:
    held: list[Arrival] = st.session_state.get(key, [])
    return held


def _effort(arrival: Arrival) -> Effort | None:
    """None for a file that cannot be measured: the pipeline says what is wrong with it."""
    try:
        return preview_upload(services().forecaster(), arrival.name, arrival.data, arrival.parser)
    except AppError:
        return None
