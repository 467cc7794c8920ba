"""The whole graph in the page: what the canvas is given, and what it may ask for."""

import json
from dataclasses import replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.graph.model import Entity, Relation
from pages.components.graph import route as graph_route
from pages.components.graph import whole as whole_page
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, document, entity_id

KELPNET, SEALOOM = entity_id("KelpNet"), entity_id("SeaLoom")


@pytest.fixture(autouse=True)
def _with_a_document(opened: FakeServices) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()


def given(app: AppTest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(app.get("bidi_component")[0].proto.json)
    return found


def names(app: AppTest) -> list[str]:
    """Of the nodes that the canvas is given."""
    data = graph_route.parts().get(given(app)["source"].rsplit("/", 1)[1])
    assert isinstance(data, bytes)
    read: list[str] = json.loads(data[4 : 4 + int.from_bytes(data[:4], "little")])["names"]
    return read


def words(app: AppTest) -> str:
    return " ".join(element.value for element in (*app.markdown, *app.caption, *app.info))


def test_it_draws_all_entities_and_says_so(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", view="whole")
    assert not app.exception
    assert len(names(app)) == 10
    assert "10 of 10 entities" in words(app)


def test_a_rough_drawing_is_followed_by_the_one_that_stays(opened: FakeServices, open_page: OpenPage) -> None:
    opened.whole_graphs.rough = True
    app = open_page("graph", view="whole", entity=KELPNET)
    assert not app.exception
    rough = given(app)
    opened.whole_graphs.rough = False
    stays = given(app.run())
    assert stays["source"] != rough["source"]
    assert (stays["version"], stays["selected"]) == (rough["version"], rough["selected"])


def test_the_selection_of_the_other_views_is_selected_here(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", view="whole", entity=KELPNET)
    assert names(app)[given(app)["selected"]] == "KelpNet"
    assert any("KelpNet" in title.value for title in app.markdown if title.value.startswith("## "))


def test_filters_leave_entities_out_and_say_how_many(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", view="whole", types="PERSON")
    kept = [entity.name for entity in opened.graph.entities.values() if entity.type == "PERSON"]
    assert sorted(names(app)) == sorted(kept)
    assert f"{len(kept)} of 10 entities" in words(app)


def test_a_way_is_marked_in_the_whole(opened: FakeServices, open_page: OpenPage) -> None:
    app = open_page("graph", view="whole", path=f"{KELPNET},{SEALOOM}")
    assert not app.exception
    (leg,) = given(app)["way"]
    assert [names(app)[leg[end]] for end in (0, -1)] == ["KelpNet", "SeaLoom"]


def test_folded_communities_are_in_the_address(opened: FakeServices, open_page: OpenPage) -> None:
    ring = [Entity(f"r{number}", BASE.id, f"ring {number}", "CONCEPT", (), 1, 1) for number in range(4)]
    opened.graph.entities |= {entity.id: entity for entity in ring}
    opened.graph.relations += [
        Relation(one.id, other.id, "near", 1.0) for one in ring for other in ring if one != other
    ]
    app = open_page("graph", view="whole", fold="all")
    assert not app.exception
    assert any(name.startswith("ring 0, ring 1 +2") for name in names(app))
    opened_ring = open_page("graph", view="whole", fold="all,r0")
    assert {"ring 0", "ring 3"} <= set(names(opened_ring))


def test_folding_says_how_many_are_in_no_community(open_page: OpenPage) -> None:
    assert "in no community" not in words(open_page("graph", view="whole"))
    folded = words(open_page("graph", view="whole", fold="all"))
    assert "0 of 10 entities · 8 in 2 folded communities · 2 in no community and not drawn" in folded


NONSENSE: list[object] = [
    None,
    "select",
    {},
    {"type": "eval"},
    {"type": "select", "index": "0", "other": -1},
    {"type": "select", "index": -5, "other": 0},
    {"type": "select", "index": 10_000, "other": -1},
    {"type": "edge", "index": 0, "other": 99},
]


@pytest.mark.parametrize("choice", NONSENSE)
def test_nonsense_from_the_canvas_changes_nothing(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch, choice: object
) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("acted on nonsense")

    for act in ("select", "walk_to", "change", "look_at_edge", "clear_selection"):
        monkeypatch.setattr(whole_page, act, fail)
    monkeypatch.setattr(whole_page, "unfold", lambda entity_id: fail() if entity_id else None)
    whole_page.take(choice, opened.whole_graphs.whole(BASE.id))


def test_a_hostile_name_reaches_the_canvas_as_a_string(opened: FakeServices, open_page: OpenPage) -> None:
    hostile = replace(opened.graph.entities[KELPNET], name="</script><img src=x onerror=alert(1)>")
    opened.graph.entities[KELPNET] = hostile
    assert hostile.name in names(open_page("graph", view="whole"))
