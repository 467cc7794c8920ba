"""A workflow's picture: every node and arrow is in it, nothing overlaps, and what runs is lit."""

import re
from itertools import combinations, product

import pytest

from core.agents.workflows.drawing import END, START, Drawing, DrawnEdge, DrawnNode, draw, path_taken
from core.agents.workflows.registry import workflows
from pages.components.run.drawing import Lit, drawing_svg, labels_of
from pages.components.run.drawing_layout import Layout, lay_out
from pages.components.shell.language import use_language

ROUNDING = 1e-6
LOOP = Drawing(
    "loop",
    (DrawnNode("ask", 0, 0), DrawnNode("search", 1, 0), DrawnNode("<b>", 1, 1), DrawnNode("grade", 2, 0)),
    (
        DrawnEdge("ask", "search", ("found",), False),
        DrawnEdge("ask", "<b>", ("<i>",), False),
        DrawnEdge("ask", "grade", (), False),
        DrawnEdge("search", "grade", (), False),
        DrawnEdge("grade", "search", ("retry",), True),
        DrawnEdge("grade", "ask", ("again",), True),
    ),
)


def every_drawing() -> list[Drawing]:
    return [LOOP, *map(draw, workflows().values())]


def laid_out(drawing: Drawing) -> Layout:
    return lay_out(drawing, {node.name: 10.0 + 5 * len(node.name) for node in drawing.nodes})


@pytest.mark.parametrize("drawing", every_drawing(), ids=lambda drawing: drawing.workflow)
def test_nodes_do_not_overlap_and_stay_inside(drawing: Drawing) -> None:
    layout = laid_out(drawing)
    assert set(layout.places) == {node.name for node in drawing.nodes}
    for one, other in combinations(layout.places.values(), 2):
        apart = abs(one.x - other.x) >= (one.width + other.width) / 2 or abs(one.y - other.y) >= one.height
        assert apart, (one, other)
    for place in layout.places.values():
        assert 0 <= place.x - place.width / 2 <= place.x + place.width / 2 <= layout.width
        assert 0 <= place.y - place.height / 2 <= place.y + place.height / 2 <= layout.height


@pytest.mark.parametrize("drawing", every_drawing(), ids=lambda drawing: drawing.workflow)
def test_arrows_run_from_their_source_to_their_target(drawing: Drawing) -> None:
    layout = laid_out(drawing)
    assert [route.edge for route in layout.routes] == list(drawing.edges)
    for route in layout.routes:
        source, target = layout.places[route.edge.source], layout.places[route.edge.target]
        assert abs(route.points[0][0] - source.x) <= source.width / 2 + ROUNDING
        assert abs(route.points[-1][0] - target.x) <= target.width / 2 + ROUNDING
        assert (route.points[0][1] > route.points[-1][1]) == route.edge.back


def test_the_usual_way_runs_straight_down() -> None:
    places = laid_out(draw(workflows()["adaptive"])).places
    usual = ("guard", "detect_language", "plan", "rewrite_query", "retrieve", "generate", "check_answer", "telemetry")
    assert len({places[name].x for name in usual}) == 1


@pytest.mark.parametrize("drawing", every_drawing(), ids=lambda drawing: drawing.workflow)
def test_upright_lines_pass_beside_nodes(drawing: Drawing) -> None:
    layout = laid_out(drawing)
    for route in layout.routes:
        (_, *upright, _) = route.points if len(route.points) > 2 else (None, None)
        for place in layout.places.values() if upright else ():
            (x, top), (_, bottom) = sorted(upright, key=lambda point: point[1])
            beside = abs(place.x - x) > place.width / 2
            assert beside or not top <= place.y <= bottom, (route.edge, place)


@pytest.mark.parametrize("drawing", every_drawing(), ids=lambda drawing: drawing.workflow)
@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_outcomes_are_not_written_on_each_other_nor_on_nodes(drawing: Drawing, language: str) -> None:
    with use_language(language):
        layout = laid_out(drawing)
        labels = labels_of(layout)
        assert len(labels) == sum(bool(route.edge.outcomes) for route in layout.routes)
    nodes = [
        (place.x - place.width / 2, place.y - place.height / 2, place.x + place.width / 2, place.y + place.height / 2)
        for place in layout.places.values()
    ]
    for one, other in [
        *combinations([label.box for label in labels], 2),
        *product([label.box for label in labels], nodes),
    ]:
        assert one[2] <= other[0] or other[2] <= one[0] or one[3] <= other[1] or other[3] <= one[1], (one, other)


def test_the_way_taken_has_what_ran_and_the_outcomes_that_led_there() -> None:
    way = path_taken(LOOP, ("ask", "search", "grade", "search"), ("found", "", "retry"))
    assert [(node.name, node.level) for node in way.nodes] == [("ask", 0), ("search", 1), ("grade", 2)]
    assert [(edge.source, edge.target, edge.outcomes, edge.back) for edge in way.edges] == [
        ("ask", "search", ("found",), False),
        ("search", "grade", (), False),
        ("grade", "search", ("retry",), True),
    ]


def test_the_same_workflow_looks_the_same_every_time() -> None:
    assert drawing_svg(LOOP, "x") == drawing_svg(LOOP, "x")
    assert laid_out(LOOP) == laid_out(LOOP)


def test_nodes_are_lit_counted_and_their_way_is_drawn() -> None:
    lit = {"ask": Lit("done", 1), "search": Lit("done", 2), "grade": Lit("active", 2)}
    svg = drawing_svg(LOOP, "x", lit, ["ask", "search", "grade", "search", "grade"])
    assert svg.count('class="gt-node is-done"') == 2
    assert svg.count('class="gt-node is-active"') == 1
    assert svg.count("×2") == 2
    assert svg.count('class="gt-arrow is-taken"') == 2
    assert svg.count('class="gt-arrow is-loop is-taken"') == 1


def test_nodes_are_called_as_in_the_list_of_steps_and_the_name_in_the_code_is_behind_it() -> None:
    with use_language("zh-hans"):
        svg = drawing_svg(draw(workflows()["adaptive"]), "x")
    assert ">评估段落</text>" in svg
    assert "<title>grade evidence</title>" in svg


def test_outcomes_are_in_the_language_of_the_reader_whoever_saw_the_drawing_before() -> None:
    adaptive = draw(workflows()["adaptive"])
    labels = {}
    for interface in ("en", "zh-hans", "en"):
        with use_language(interface):
            labels[interface] = set(re.findall(r'"gt-outcome"[^>]*>([^<]+)', drawing_svg(adaptive, "x")))
    assert labels["en"]
    assert not labels["en"] & labels["zh-hans"]


def test_names_and_outcomes_are_never_markup() -> None:
    svg = drawing_svg(LOOP, '"><script>')
    assert "<script" not in svg
    assert "<b>" not in svg
    assert "<i>" not in svg
    assert "&lt;b&gt;" in svg


def test_the_ends_of_a_workflow_are_dots() -> None:
    drawing = draw(next(iter(workflows().values())))
    assert {START, END} <= {node.name for node in drawing.nodes}
    svg = drawing_svg(drawing, "x")
    assert svg.count("<circle") == 2
    assert not re.search("__start__|__end__", svg)
