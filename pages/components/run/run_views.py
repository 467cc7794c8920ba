"""Runs built from their events: cached for finished runs, rebuilt each time for active ones."""

from dataclasses import replace
from functools import lru_cache

from core.domain.runs import Run, RunStatus
from core.errors import ConfigurationError
from core.ports.runs import RunLog
from core.runs.prices import Price, load_prices
from core.runs.view import RunView, apply
from pages.components.documents.page import has_page_images
from pages.components.run.citation_html import Evidence
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
    """The stored status decides, because a dead process leaves no last event."""
    return replace(folded(services().runs, run_id)[0], status=status)


def folded(log: RunLog, run_id: str, view: RunView | None = None, after: int = 0) -> tuple[RunView, int]:
    """The view with the events after the given one applied, and the number of the last."""
    current, last = view or RunView(), after
    for number, event in log.events(run_id, after):
        current, last = apply(current, event), number
    return current, last


def price_table() -> tuple[Price, ...]:
    """Empty if unreadable; the Settings page reports that, a run need not."""
    try:
        return load_prices(services().settings)
    except ConfigurationError:
        return ()


def evidence_of(view: RunView) -> Evidence:
    cited = dict.fromkeys(citation.document_id for citation in view.citations)
    pictured = tuple(document_id for document_id in cited if has_page_images(document_id))
    others = dict.fromkeys(c.chunk_id for c in view.citations if c.document_id not in pictured)
    return Evidence(pictured, tuple(services().library.passages.get(list(others))) if others else ())
