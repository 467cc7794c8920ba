"""Runs built from their events: cached for finished runs, rebuilt each time for active ones."""

from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from core.platform.errors import ConfigurationError
from core.runs.history.prices import Price, load_prices
from core.runs.history.view import RunView, apply
from core.runs.model import Run, RunStatus
from core.runs.ports import RunLog
from pages.components.documents.page import has_page_images
from pages.components.graph.types import NO_NAMES, NameLinks
from pages.components.run.citation_html import CitedPlaces
from pages.components.shell.services import services


def view_of(run: Run) -> RunView:
    """A run as shown by the pages."""
    return caught_up(run.id)[0] if run.status is RunStatus.RUNNING else ended_view(run.id, run.status)


def caught_up(run_id: str, view: RunView | None = None, after: int = 0) -> tuple[RunView, int]:
    """The view with all events since; interrupted if its process died and will write no more."""
    log, worker = services().runs, services().worker
    current, last = folded(log, run_id, view, after)
    if current.status is RunStatus.RUNNING and current.owner and not worker.is_alive(run_id, current.owner):
        current, last = folded(log, run_id, current, last)  # it may have ended between the two questions
        if current.status is RunStatus.RUNNING:
            return replace(current, status=RunStatus.INTERRUPTED), last
    return current, last


@lru_cache(maxsize=512)
def ended_view(run_id: str, status: RunStatus) -> RunView:
    """View of an ended run, with its stored status, because a crashed process leaves no last event."""
    return replace(folded(services().runs, run_id)[0], status=status)


def folded(log: RunLog, run_id: str, view: RunView | None = None, after: int = 0) -> tuple[RunView, int]:
    """The view with the events after the given one applied, and the number of the last."""
    current, last = view or RunView(), after
    for number, event in log.events(run_id, after):
        current, last = apply(current, event), number
    return current, last


def price_table() -> tuple[Price, ...]:
    """Prices of models; empty if the table is unreadable, which the Settings page reports."""
    try:
        return load_prices(services().settings)
    except ConfigurationError:
        return ()


def evidence_of(view: RunView, base_id: str = "") -> CitedPlaces:
    """Cited places, with the entities of their passages if the base is given and the run has ended."""
    citations = view.places
    cited = dict.fromkeys(citation.document_id for citation in citations)
    pictured = tuple(document_id for document_id in cited if has_page_images(document_id))
    chunks = list(dict.fromkeys(citation.chunk_id for citation in citations))
    passages = tuple(services().library.passages.get(chunks)) if chunks else ()
    names = _names(view, base_id, [citation.chunk_id for citation in view.citations])
    return CitedPlaces(pictured, passages, names, view.is_ready or view.status is not RunStatus.RUNNING)


def step_names(view: RunView, base_id: str) -> NameLinks:
    """Entities of the passages that the steps of an ended run kept and rejected."""
    return _names(view, base_id, [it.chunk_id for step in view.steps for it in (*step.kept, *step.rejected)])


def _names(view: RunView, base_id: str, chunk_ids: Sequence[str]) -> NameLinks:
    wanted = list(dict.fromkeys(filter(None, chunk_ids)))
    if view.status is RunStatus.RUNNING or not base_id or not wanted:
        return NO_NAMES
    found = services().graph.mentioned_in(base_id, wanted)
    return NameLinks(tuple((chunk_id, tuple(entities)) for chunk_id, entities in found.items()))
