"""Searching: by route, precise first, another route on a correction, and never silent about a failure."""

from dataclasses import replace

import pytest

from core.agents.nodes.search.retrieve import next_route, passing, retrieve
from core.agents.state import Route
from core.platform.errors import ServiceError
from core.search.model import Hit
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, World, state_of


@pytest.mark.parametrize(
    ("planned", "tried", "route"),
    [
        (Route.CHUNKS, (), Route.CHUNKS),
        (Route.GRAPH, (), Route.GRAPH),
        (Route.DIRECT, (), Route.CHUNKS),
        (Route.CHUNKS, (Route.CHUNKS,), Route.HIERARCHICAL),
        (Route.HIERARCHICAL, (Route.HIERARCHICAL, Route.CHUNKS), Route.GRAPH),
        (Route.CHUNKS, (Route.CHUNKS, Route.HIERARCHICAL, Route.GRAPH), Route.CHUNKS),
    ],
)
def test_a_correction_prefers_a_route_not_yet_tried(planned: Route, tried: tuple[Route, ...], route: Route) -> None:
    assert next_route(planned, tried) is route


@pytest.mark.parametrize(
    ("scores", "kept", "threshold"),
    [
        ((0.9, 0.8, 0.7, 0.6), 3, 0.65),
        ((0.9, 0.6, 0.55, 0.4), 3, 0.50),
        ((0.9, 0.4, 0.2), 2, 0.35),
        ((0.34, 0.3, 0.2, 0.15), 3, 0.10),
        ((0.09, 0.02), 0, 0.10),
        ((), 0, 0.10),
    ],
)
def test_thresholds_widen_until_enough_passes(scores: tuple[float, ...], kept: int, threshold: float) -> None:
    hits, used = passing([Hit(str(at), score) for at, score in enumerate(scores)])
    assert (len(hits), used) == (kept, threshold)


def test_what_is_below_the_threshold_is_rejected_with_the_reason(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    update = call(retrieve, state_of("x", route=Route.CHUNKS, query="share of Karenia buoy KelpNet network developed"))
    assert update["search"].hits
    assert {item.reason for item in update["search"].rejected} == {"run.rejected.low_score"}
    assert update["search"].tried_routes == ("chunks",)
    assert update["search"].tried_queries == ("share of Karenia buoy KelpNet network developed",)
    assert update["search"].retrievals == 1


def test_an_overview_reads_how_the_documents_begin(call: Call) -> None:
    state = state_of("What is this handbook about?", route=Route.HIERARCHICAL, query="introduction purpose")
    update = call(retrieve, state)
    assert [hit.chunk_id for hit in update["search"].hits][:3] == ["d1-0", "d1-1", "d1-2"]


def test_the_route_decides_which_search_is_asked(call: Call, world: World) -> None:
    call(retrieve, state_of("x", route=Route.GRAPH, query="KelpNet"))
    assert world.retriever.asked == [("graph", "KelpNet")]


def test_a_failed_search_is_not_an_empty_one(call: Call, world: World) -> None:
    world.retriever.failure = ServiceError("llm.timeout")
    with pytest.raises(ServiceError):
        call(retrieve, state_of("x", route=Route.CHUNKS, query="KelpNet"))


def test_the_documents_that_are_meant_are_searched_alone(call: Call, world: World) -> None:
    other = world.library.add("note.pdf", ("Introduction", "The purpose of this note is KelpNet."))
    state = state_of("What is the note about?", route=Route.HIERARCHICAL, query="introduction purpose")
    update = call(retrieve, replace(state, search=replace(state.search, documents=(other,))))
    assert {hit.chunk_id.partition("-")[0] for hit in update["search"].hits} == {other}
