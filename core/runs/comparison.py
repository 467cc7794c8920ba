"""Sources shared by several answers to one question."""

from collections.abc import Iterable

from core.domain.runs import Run


def places_of(run: Run) -> set[tuple[str, int]]:
    """(document or address, page) of what it cites."""
    return {(citation.document_id or citation.url, citation.page) for citation in run.citations}


def shared_sources(run: Run, others: Iterable[Run]) -> int:
    """How many of its places another of the answers cites, too."""
    return len(places_of(run) & {place for other in others for place in places_of(other)})
