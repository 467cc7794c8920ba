"""The pyvis page of a view: names are data, nothing is remote, and it is quick at the largest size."""

import json
import re
import time
from collections.abc import Sequence

import pytest

from core.graph.files.pyvis_view import MAX_NAME, MAX_NODES, PyvisDrawing, spread
from core.graph.model import ENTITY_TYPES, Entity, GraphView, Relation
from core.graph.network.cooccurrence import CO_OCCURS

HOSTILE = (
    "</script><script>alert(1)</script>",
    '<img src=x onerror="alert(1)">',
    "<a href='http://evil.example'>href</a>",
    "{{ 7 * 7 }} {% raw %}",
    "\u202egnirts desrever\u202c",
    "'\"`;--\\u003c/script\\u003e",
    "]]> <!-- <![CDATA[",
    "a\x00b\u2028c",
)


def entity(index: int, name: str = "", type: str = "CONCEPT", mentions: int = 1) -> Entity:
    return Entity(f"e{index}", "b1", name or f"entity {index}", type, (), mentions, 1)


def page_of(entities: Sequence[Entity], relations: Sequence[Relation] = (), lines: int = 1000) -> str:
    positions = [(float(index), float(index % 7)) for index in range(len(entities))]
    return PyvisDrawing().page(GraphView(tuple(entities), tuple(relations)), positions, lines)


def data(page: str, name: str) -> list[dict[str, object]]:
    found = re.search(rf'<script type="application/json" id="{name}">(.*?)</script>', page, re.DOTALL)
    assert found
    rows: list[dict[str, object]] = json.loads(found.group(1))
    return rows


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_name_stays_data(name: str) -> None:
    harmless = page_of([entity(0, "harmless")])
    page = page_of([entity(0, name)])
    assert page.count("<") == harmless.count("<")
    assert page.count("<script") == harmless.count("<script") == 5
    assert len(str(data(page, "nodes")[0]["label"])) <= MAX_NAME


@pytest.mark.parametrize("name", HOSTILE)
def test_no_name_becomes_a_title_that_pyvis_or_vis_would_read_as_html(name: str) -> None:
    page = page_of([entity(0, name)])
    assert all("title" not in node for node in data(page, "nodes"))
    assert "innerHTML" not in page


def test_a_hostile_type_is_drawn_as_other() -> None:
    page = page_of([entity(0, type="__proto__"), entity(1, type="<b>")])
    assert [node["group"] for node in data(page, "nodes")] == ["OTHER", "OTHER"]


def test_the_page_names_no_other_host_and_no_inline_script() -> None:
    page = page_of([entity(0, "plain")])
    assert "://" not in page
    assert re.findall(r'(?:src|href)="([^"]+)"', page) == [
        "assets/view.css",
        "assets/vis-network.min.js",
        "assets/view.js",
    ]
    scripts = re.findall(r"<script([^>]*)>", page)
    assert all("src=" in script or 'type="application/json"' in script for script in scripts)


def test_physics_is_off_and_every_node_has_its_place() -> None:
    page = page_of([entity(0), entity(1)])
    options = re.search(r'id="options">(.*?)</script>', page)
    assert options
    assert json.loads(options.group(1))["physics"] == {"enabled": False}
    assert all(isinstance(node["x"], float) and isinstance(node["y"], float) for node in data(page, "nodes"))


def test_more_mentions_are_larger_and_stronger_relations_wider() -> None:
    entities = [entity(0, mentions=1), entity(1, mentions=100), entity(2, mentions=10)]
    relations = [Relation("e0", "e1", "CO_OCCURS_IN", 4.0), Relation("e1", "e2", "CO_OCCURS_IN", 0.5)]
    page = page_of(entities, relations)
    sizes = {node["id"]: node["size"] for node in data(page, "nodes")}
    assert float(str(sizes["e0"])) < float(str(sizes["e2"])) < float(str(sizes["e1"]))
    wide, narrow = (float(str(edge["width"])) for edge in data(page, "edges"))
    assert wide > narrow


def test_relations_beyond_the_lines_wait_hidden() -> None:
    relations = [Relation("e0", "e1", "CO_OCCURS_IN", 2.0), Relation("e1", "e2", "CO_OCCURS_IN", 1.0)]
    page = page_of([entity(0), entity(1), entity(2)], relations, lines=1)
    assert [edge["hidden"] for edge in data(page, "edges")] == [False, True]


def test_nodes_on_one_spot_are_pushed_apart() -> None:
    places = spread([(0.0, 0.0), (0.0, 0.0), (10.0, 10.0)], [20.0, 20.0, 20.0])
    (ax, ay), (bx, by) = places[:2]
    assert ((ax - bx) ** 2 + (ay - by) ** 2) ** 0.5 > 40


def test_spreading_is_the_same_each_time_and_takes_no_nodes_and_one() -> None:
    points = [(float(i * i % 17), float(i % 5)) for i in range(40)]
    assert spread(points, [8.0] * 40) == spread(points, [8.0] * 40)
    assert spread([], []) == []
    assert len(spread([(3.0, 4.0)], [9.0])) == 1


def test_five_hundred_entities_are_built_in_two_seconds() -> None:
    entities = [entity(i, HOSTILE[i % len(HOSTILE)] + str(i), ENTITY_TYPES[i % 5], i) for i in range(MAX_NODES)]
    relations = [
        Relation(f"e{i}", f"e{(i * 7 + j) % MAX_NODES}", "CO_OCCURS_IN", 1.0 / j)
        for i in range(MAX_NODES)
        for j in range(1, 9)
    ]
    page_of(entities[:2])  # pyvis is imported once a process
    begun = time.process_time()  # the processor, not whatever else runs on it
    page = page_of(entities, relations)
    assert time.process_time() - begun < 2
    assert len(data(page, "nodes")) == MAX_NODES


def test_more_than_can_be_drawn_is_refused() -> None:
    with pytest.raises(ValueError, match="too many"):
        page_of([entity(i) for i in range(MAX_NODES + 1)])


def test_the_drawing_library_comes_with_pyvis() -> None:
    script = PyvisDrawing().script()
    assert script.name == "vis-network.min.js"
    assert script.stat().st_size > 100_000


def test_what_is_stated_is_told_from_what_is_counted_and_is_data() -> None:
    stated = Relation("e0", "e1", HOSTILE[0], 1.0)
    page = page_of([entity(0), entity(1)], [stated, Relation("e0", "e1", CO_OCCURS, 1.0)])
    assert [edge["verb"] for edge in data(page, "edges")] == [HOSTILE[0], ""]
    assert page.count("<script") == 5
