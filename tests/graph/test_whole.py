"""The whole graph laid out, and the part of it that is drawn: nothing lost, places kept, names as data."""

import json
import math
from array import array
from itertools import pairwise
from typing import Any

import pytest

from core.graph.layout.full_layout import whole_communities, whole_graph
from core.graph.layout.layout_payload import DrawingSelection, DrawnPart, draw_part, first_of
from core.graph.model import Entity, Mention, Relation, WholeGraph
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import pack
from core.graph.network.network import Network


def entity(number: int, name: str = "", type: str = "CONCEPT") -> Entity:
    return Entity(f"e{number}", "b", name or f"name {number}", type, (), 100 - number, 1)


def network(groups: list[list[int]], stated: tuple[Relation, ...] = ()) -> Network:
    mentions = [
        Mention(f"{chunk}-{number}", f"e{number}", "d", f"c{chunk:02}", 0, place, place + 1, "x", 1.0)
        for chunk, members in enumerate(groups)
        for place, number in enumerate(members)
    ]
    return Network(Cooccurrence({"d": pack(mentions)}), stated)


TWO_GROUPS = [[0, 1, 2, 3], [4, 5, 6, 7], [3, 4]]


def whole(count: int = 9, groups: list[list[int]] = TWO_GROUPS, **places: tuple[float, float]) -> WholeGraph:
    told = (Relation("e0", "e7", "leads", 1.0),)
    return whole_graph("v", [entity(number) for number in range(count)], network(groups, told), places)


def read(part: DrawnPart) -> tuple[dict[str, Any], list[int], list[tuple[int, int]]]:
    """The head, the index of each node and the ends of each line, as the browser reads them."""
    length = int.from_bytes(part.data[:4], "little")
    head = json.loads(part.data[4 : 4 + length])
    numbers = array("i", part.data[4 + length :])
    count, lines = len(head["names"]), head["lines"]
    assert len(numbers) == 6 * count + 3 * lines
    ends = numbers[3 * count : 3 * count + 2 * lines]
    assert all(number < lines for number, _, _ in head["said"])
    return head, list(numbers[:count]), list(zip(ends[:lines], ends[lines:], strict=True))


def all_of(graph: WholeGraph) -> bytes:
    return bytes([1] * len(graph.entities))


def test_every_entity_has_a_place_and_every_pair_is_counted_once() -> None:
    made = whole()
    assert len(made.x) == len(made.y) == len(made.links) == 9
    assert all(math.isfinite(place) for place in [*made.x, *made.y])
    assert made.relations == 6 + 6 + 1 + 1
    assert list(made.links) == [4, 3, 3, 4, 4, 3, 3, 4, 0]
    assert max(made.centrality) == 1.0


def test_places_stay_and_what_is_new_comes_beside_its_neighbours() -> None:
    before = {f"e{number}": (float(number), float(number % 3)) for number in range(20) if number != 2}
    made = whole(20, [*TWO_GROUPS, *([one, other] for one, other in pairwise(range(8, 20)))], **before)
    kept = {each.id: (made.x[place], made.y[place]) for place, each in enumerate(made.entities)}
    assert {id: place for id, place in kept.items() if id != "e2"} == before
    assert math.dist(kept["e2"], (4 / 3, 1.0)) < 2


def test_communities_are_numbered_by_size_and_known_by_their_first_entity() -> None:
    made = whole()
    found = whole_communities(made)
    assert found[8] == -1
    assert first_of(made, found[1]) in ("e0", "e1", "e2", "e3")
    assert first_of(made, 99) == ""


def test_the_part_holds_what_is_kept_and_the_lines_between() -> None:
    made = whole()
    kept = bytes(number != 3 for number in range(9))
    part = draw_part(made, DrawingSelection(kept))
    head, index, lines = read(part)
    assert index == [0, 1, 2, 4, 5, 6, 7, 8]
    assert head["names"][0] == "name 0"
    assert (part.entities, part.relations) == (8, 3 + 6 + 1)
    assert all(one != other for one, other in lines)


def test_stated_and_counted_relations_can_be_drawn_alone() -> None:
    made = whole()
    assert [draw_part(made, DrawingSelection(all_of(made), kinds)).relations for kinds in ((0,), (1,), (0, 1))] == [
        13,
        1,
        14,
    ]


def test_what_is_stated_lies_on_its_line_and_leads_from_its_source() -> None:
    stated = (Relation("e7", "e0", "leads", 1.0), Relation("e7", "e0", "pays", 1.0), Relation("e1", "e2", "knows", 1.0))
    made = whole_graph("v", [entity(number) for number in range(9)], network(TWO_GROUPS, stated), {})
    head, index, lines = read(draw_part(made, DrawingSelection(all_of(made))))
    ways = {words: lines[line] if forward else lines[line][::-1] for line, forward, words in head["said"]}
    assert {words: (index[one], index[other]) for words, (one, other) in ways.items()} == {
        "leads, pays": (7, 0),
        "knows": (1, 2),
    }
    assert read(draw_part(made, DrawingSelection(all_of(made), folded=True)))[0]["said"] == []


def test_folded_communities_are_single_nodes_until_one_is_opened() -> None:
    made = whole()
    folded = draw_part(made, DrawingSelection(all_of(made), folded=True))
    assert (folded.entities, folded.folded, folded.inside, folded.relations) == (0, 2, 8, 1)
    assert folded.left_out == 1
    opened = draw_part(made, DrawingSelection(all_of(made), folded=True, unfolded=("e1",)))
    assert (opened.entities, opened.folded, opened.inside) == (4, 1, 4)
    head, index, _ = read(opened)
    assert index[-1] >= 9
    assert head["names"][-1].endswith(" +2")


@pytest.mark.parametrize("choice", [{}, {"folded": True}, {"coloured": True}])
def test_an_empty_graph_is_an_empty_part(choice: dict[str, bool]) -> None:
    part = draw_part(whole_graph("v", [], network([]), {}), DrawingSelection(b"", **choice))  # type: ignore[arg-type]
    assert read(part) == ({"names": [], "types": [], "lines": 0, "said": []}, [], [])


def test_a_hostile_name_is_a_string_among_others() -> None:
    hostile = [entity(0, "</script><img src=x onerror=alert(1)>"), entity(1, "\u202e\u2028\ud800")]
    head, _, _ = read(draw_part(made := whole_graph("v", hostile, network([]), {}), DrawingSelection(all_of(made))))
    assert head["names"][0] == hostile[0].name
    assert len(head["names"]) == 2
