"""Searches by the planned route: precise first, then wider; a correction prefers a route not yet tried."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from enum import StrEnum
from itertools import islice, zip_longest

from core.agents.nodes.evidence import passages_of, shown
from core.agents.nodes.plan.route_query import SearchRoute, search
from core.agents.nodes.runtime import noted
from core.agents.nodes.search.grade_evidence import sift
from core.agents.state import SEARCHES, Deps, NodeRuntime, Route, State, Update
from core.documents.model import Chunk, DocumentFilter, DocumentStatus
from core.models.ports import BUILT_IN
from core.platform.language.terms import content_terms
from core.rulebook.evidence import is_opening_section
from core.rulebook.messages import Question
from core.runs.events import PassagesGraded
from core.search.model import Hit, Rejected

THRESHOLDS = (0.65, 0.50, 0.35)
LIMIT = 10
WEAK = 0.10
"""If no hit passes, the best above this score are still graded, because the wording may differ."""
WANTED = 3
"""Number of hits above a threshold that makes a lower one unnecessary."""
OPENING_CHUNKS = 3
"""Chunks at the beginning of each document that an overview reads."""
OPENINGS = 6
"""Limit of chunks per document for an overview."""
OPENING_DOCUMENTS = 3
SEVERAL_DOCUMENTS = 4
"""Documents that an overview of all documents quotes; two chunks of each are kept."""
OPENING_SCORE = 0.7
"""Score above every threshold, because an opening describes its document in any words."""


class SearchOutcome(StrEnum):
    FOUND = "found"
    EMPTY = "empty"


def retrieve(state: State, runtime: NodeRuntime) -> Update:
    """The built-in engine reads all hits and assesses their sentences; a model gets only a few passages."""
    deps = runtime.context
    return retrieved(state, deps, thresholds_for(deps))


def thresholds_for(deps: Deps) -> Sequence[float]:
    """A small model reads the likeliest sentences of all hits, the built-in engine all but weak hits."""
    if deps.small_model:
        return (0.0,)
    return (WEAK,) if deps.llm.engine == BUILT_IN else THRESHOLDS


def retrieved(
    state: State, deps: Deps, thresholds: Sequence[float] = THRESHOLDS, weakest: float | None = WEAK
) -> Update:
    """weakest: see passing()."""
    route = next_route(state.search.route, state.search.tried_routes)
    found = _search(route, state, deps)
    hits, threshold = passing(found, thresholds, weakest)
    near = tuple(Rejected(hit.chunk_id, hit.score, "run.rejected.low_score") for hit in found if hit not in hits)
    note = noted(
        "found" if hits else "empty",
        "run.reason.retrieved" if hits else "run.reason.retrieved_nothing",
        route=route,
        query=state.search.query,
        threshold=f"{threshold:.2f}",
        count=len(hits),
        below=len(near) or "",
    )
    searched = replace(
        state.search,
        route=route,
        tried_routes=(*state.search.tried_routes, route),
        tried_queries=(*state.search.tried_queries, state.search.query),
        hits=tuple(hits),
        rejected=near,
        retrievals=state.search.retrievals + 1,
    )
    return {"search": searched, "note": note}


def search_local(state: State, runtime: NodeRuntime) -> Update:
    """Searches by the chosen route and drops hits unrelated to the question."""
    deps = runtime.context
    route = SearchRoute.of(state.search.route)
    found = search(route, state, state.search.query, deps)
    for part in Question(state.standalone_question).parts:
        found = _merged(found, search(route, state, part, deps))
    hits, threshold = passing(found, thresholds_for(deps))
    kept, refused = sift(state.standalone_question, passages_of(hits, deps), deps.readings, state.options.insisted)
    low = passages_of([hit for hit in found if hit not in hits], deps)
    refused += [(passage, "run.rejected.low_score") for passage in low]
    if found:
        rejected = tuple(shown(passage, reason) for passage, reason in refused)
        deps.emit(PassagesGraded("retrieve", tuple(map(shown, kept)), rejected))
    details = {"route": route, "query": state.search.query, "threshold": f"{threshold:.2f}", "count": len(kept)}
    outcome, reason = SearchOutcome.FOUND, "run.reason.retrieved"
    if not kept:
        outcome, reason = SearchOutcome.EMPTY, "run.reason.nothing_local"
    searched = replace(
        state.search,
        tried_routes=(*state.search.tried_routes, route.route),
        tried_queries=(*state.search.tried_queries, state.search.query),
        hits=tuple(hits),
        kept=tuple(Hit(passage.chunk.id, passage.score, passage.sources) for passage in kept),
        rejected=tuple(Rejected(passage.chunk.id, passage.score, why) for passage, why in refused),
        retrievals=state.search.retrievals + 1,
    )
    return {
        "search": searched,
        "note": noted(outcome, reason, **details),
    }


def next_route(planned: Route | None, tried: tuple[Route, ...]) -> Route:
    """The planned route first, then untried ones, then the planned one again."""
    wanted = planned if planned in SEARCHES else Route.CHUNKS
    if wanted not in tried:
        return wanted
    return next((route for route in SEARCHES if route not in tried), wanted)


def passing(
    found: list[Hit], thresholds: Sequence[float] = THRESHOLDS, weakest: float | None = WEAK
) -> tuple[list[Hit], float]:
    """Hits above the highest threshold that enough of them pass, else above the lowest, else a few weak ones.

    weakest: least score of those few; None for no weak hits.
    """
    for threshold in thresholds:
        hits = [hit for hit in found if hit.score >= threshold]
        if len(hits) >= WANTED:
            return hits, threshold
    if hits or weakest is None:
        return hits, thresholds[-1]
    return [hit for hit in found if hit.score >= weakest][:WANTED], weakest


def _search(route: Route, state: State, deps: Deps) -> list[Hit]:
    """Searches the question and, if it has two parts, each part."""
    found = _by_route(route, state, deps)
    for part in Question(state.standalone_question).parts:
        found = _merged(found, deps.retriever.chunks(state.base_id, part, LIMIT, state.search.documents))
    return found


def _by_route(route: Route, state: State, deps: Deps) -> list[Hit]:
    question = Question(state.standalone_question)
    if route is Route.GRAPH:
        return deps.retriever.graph(state.base_id, state.search.query, LIMIT)
    if route is Route.CHUNKS or state.search.documents:
        found = deps.retriever.chunks(state.base_id, state.search.query, LIMIT, state.search.documents)
    else:
        found = deps.retriever.hierarchical(state.base_id, state.search.query, LIMIT)
    if route is Route.CHUNKS:
        return found
    if not question.kind.is_about_whole_documents:
        return found
    openings = _openings(found, state, deps)
    return _merged(found, openings) if question.asks_of_section else _merged(openings, found)


def _openings(found: list[Hit], state: State, deps: Deps) -> list[Hit]:
    """Opening chunks of the documents in question."""
    documents = state.search.documents or _documents_of(found, deps)
    question = Question(state.standalone_question)
    if question.asks_of_several:
        others = () if state.search.documents else _documents_of_base(state, deps)
        return _openings_of_each(dict.fromkeys((*documents, *others)), deps)
    documents = documents or _documents_of_base(state, deps)
    openings = [_opening(document_id, deps) for document_id in documents[:OPENING_DOCUMENTS]]
    if work := question.work_terms:
        openings.sort(key=lambda chunks: -len(work.intersection(content_terms(" ".join(it.text for it in chunks)))))
    return [Hit(chunk.id, OPENING_SCORE, ("summary",)) for chunks in openings for chunk in chunks]


def _openings_of_each(documents: Iterable[str], deps: Deps) -> list[Hit]:
    """The first chunk of each document, then the next of each, so that a long opening excludes no document."""
    openings = [_opening(document_id, deps) for document_id in islice(documents, SEVERAL_DOCUMENTS)]
    opening_first = [
        sorted(chunks, key=lambda chunk: chunk.index > 0 and not _is_opening(chunk)) for chunks in openings
    ]
    return [
        Hit(chunk.id, OPENING_SCORE, ("summary",))
        for together in zip_longest(*opening_first)
        for chunk in together
        if chunk
    ]


def _opening(document_id: str, deps: Deps) -> list[Chunk]:
    chunks = [chunk for chunk in deps.passages.chunks(document_id) if chunk.enabled]
    return [*chunks[:OPENING_CHUNKS], *filter(_is_opening, chunks[OPENING_CHUNKS:])][:OPENINGS]


def _is_opening(chunk: Chunk) -> bool:
    return is_opening_section(chunk.section[-1:])


def _documents_of(found: list[Hit], deps: Deps) -> tuple[str, ...]:
    passages = deps.passages.get([hit.chunk_id for hit in found])
    return tuple(dict.fromkeys(passage.chunk.document_id for passage in passages))


def _documents_of_base(state: State, deps: Deps) -> tuple[str, ...]:
    if state.options.is_limited:
        return state.options.documents
    ready = DocumentFilter((DocumentStatus.READY,))
    return tuple(document.id for document in deps.documents.find(state.base_id, ready, limit=SEVERAL_DOCUMENTS))


def _merged(first: list[Hit], second: list[Hit]) -> list[Hit]:
    """Merges hits by chunk, the first list's first, with the best score and all sources."""
    best: dict[str, Hit] = {}
    for hit in [*first, *second]:
        known = best.get(hit.chunk_id)
        sources = tuple(dict.fromkeys((known.sources if known else ()) + hit.sources))
        best[hit.chunk_id] = Hit(hit.chunk_id, max(hit.score, known.score if known else 0.0), sources)
    return list(best.values())
