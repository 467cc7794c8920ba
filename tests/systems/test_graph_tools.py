"""The texts of the graph tools, which are a contract: golden on forty nodes and on a Chinese graph."""

from core.tools.describe_graph import describe_graph
from core.tools.get_entities_by_type import get_entities_by_type
from core.tools.get_neighbors import get_neighbors
from core.tools.graph_toolbox import TOOLS, use
from core.tools.search_entities import search_entities
from tests.systems.graphs import BASE, chinese, forty


def test_search_names_type_confidence_page_and_id() -> None:
    assert search_entities(forty(), BASE, "harbor").text == (
        "Found 2 entity(ies) matching 'harbor':\n"
        '[TECHNOLOGY] "HarborDB" (confidence=0.95, page=0, id=e-HarborDB)\n'
        '[ORGANIZATION] "Harbor Institute" (confidence=0.95, page=7, id=e-Harbor Institute)'
    )


def test_search_shows_fifteen_and_says_that_there_are_more() -> None:
    lines = search_entities(forty(), BASE, "e").text.splitlines()
    assert lines[0].startswith("Found ")
    assert sum(line.startswith("[") for line in lines) == 15
    assert lines[-1].endswith("more. Use a longer query to narrow the search.")


def test_search_without_a_hit_suggests_the_first_eight() -> None:
    names = "EskFlow, HarborDB, KelpNet, LanternOS, MistralBus, NimbusCache, OpalQueue, PikeLang"
    said = search_entities(forty(), BASE, "zebra").text
    assert said == f"No entity matches 'zebra'. Try a part of the name. Some entities of the graph: {names}"


def test_neighbours_by_hop() -> None:
    assert get_neighbors(forty(), BASE, "kelpnet").text == (
        "Neighbors of 'KelpNet' [TECHNOLOGY] within 1 hop(s):\n"
        "Hop 1 — 3 related entities:\n[TECHNOLOGY] HarborDB\n[TECHNOLOGY] LanternOS\n[TECHNOLOGY] EskFlow\n"
        "Total related entities: 3"
    )
    said = get_neighbors(forty(), BASE, "KelpNet", 2).text
    assert "Hop 2 — " in said
    assert said.count("\n[") <= 3 + 20


def test_hops_are_taken_into_one_to_three() -> None:
    assert "within 1 hop(s)" in get_neighbors(forty(), BASE, "KelpNet", -5).text
    assert "within 3 hop(s)" in get_neighbors(forty(), BASE, "KelpNet", 99).text
    assert "Hop 4" not in get_neighbors(forty(), BASE, "KelpNet", 99).text


def test_at_most_twenty_of_a_hop_are_shown_and_all_are_counted() -> None:
    graph = forty()
    for entity in graph.entities[5:]:
        graph.connect("KelpNet", entity.name)
    lines = get_neighbors(graph, BASE, "KelpNet").text.splitlines()
    assert sum(line.startswith("[") for line in lines) == 20
    assert "more" in lines[-2]


def test_the_start_is_exact_then_prefix_then_part() -> None:
    graph = forty()
    graph.add("Opal", "CONCEPT")
    assert "'Opal' [CONCEPT]" in get_neighbors(graph, BASE, "opal").text
    assert "'OpalQueue'" in get_neighbors(graph, BASE, "opalq").text
    assert "'Harbor Institute'" in get_neighbors(graph, BASE, "institute").text


def test_an_unknown_start_hints_at_the_search() -> None:
    assert get_neighbors(forty(), BASE, "Zebra").text == (
        "No entity called 'Zebra'. Use search_entities to find its name in the graph."
    )


def test_entities_of_a_type_are_sorted() -> None:
    assert get_entities_by_type(forty(), BASE, "location").text == (
        "LOCATION entities (5 total):\n"
        "• Aberdeen (confidence=0.95, page=8)\n• Bergen (confidence=0.95, page=9)\n• Cadiz (confidence=0.95, page=9)\n"
        "• Dunkirk (confidence=0.95, page=9)\n• Esbjerg (confidence=0.95, page=9)"
    )


def test_an_unknown_type_names_those_there_are() -> None:
    assert get_entities_by_type(forty(), BASE, "animal").text == (
        "Error: unknown entity type 'ANIMAL'. Types in the graph: CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY"
    )


def test_the_graph_as_a_whole() -> None:
    lines = describe_graph(forty(), BASE).text.splitlines()
    assert lines[:5] == [
        "Knowledge graph:",
        "Nodes: 40",
        "Edges: 54",
        "Relation types: CO_OCCURS_IN",
        "Density: 0.0692",
    ]
    assert lines[5:11] == [
        "Entity types:",
        "  CONCEPT: 12",
        "  TECHNOLOGY: 12",
        "  PERSON: 6",
        "  LOCATION: 5",
        "  ORGANIZATION: 5",
    ]
    assert lines[11] == "Top 5 by degree centrality:"
    assert lines[12] == "  [TECHNOLOGY] EskFlow (0.410)"
    assert len(lines) == 17


def test_a_chinese_graph() -> None:
    assert search_entities(chinese(), BASE, "青屿").text == (
        "Found 2 entity(ies) matching '青屿':\n"
        '[LOCATION] "青屿" (confidence=0.95, page=1, id=e-青屿)\n'
        '[ORGANIZATION] "青屿海洋观测站" (confidence=0.95, page=0, id=e-青屿海洋观测站)'
    )
    assert get_neighbors(chinese(), BASE, "校准层", 2).text == (
        "Neighbors of '校准层' [CONCEPT] within 2 hop(s):\n"
        "Hop 1 — 1 related entities:\n[TECHNOLOGY] 浮标\n"
        "Hop 2 — 1 related entities:\n[ORGANIZATION] 青屿海洋观测站\n"
        "Total related entities: 2"
    )
    assert get_entities_by_type(chinese(), BASE, "PERSON").text == (
        "PERSON entities (1 total):\n• 林雨晴 (confidence=0.95, page=0)"
    )


def test_a_chinese_graph_as_a_whole() -> None:
    assert describe_graph(chinese(), BASE).text == (
        "Knowledge graph:\nNodes: 5\nEdges: 4\nRelation types: CO_OCCURS_IN\nDensity: 0.4000\nEntity types:\n"
        "  CONCEPT: 1\n  LOCATION: 1\n  ORGANIZATION: 1\n  PERSON: 1\n  TECHNOLOGY: 1\n"
        "Top 5 by degree centrality:\n  [ORGANIZATION] 青屿海洋观测站 (0.750)\n  [TECHNOLOGY] 浮标 (0.500)\n"
        "  [PERSON] 林雨晴 (0.250)\n  [CONCEPT] 校准层 (0.250)\n  [LOCATION] 青屿 (0.250)"
    )
    unknown = search_entities(chinese(), BASE, "量子").text
    assert unknown == (
        "No entity matches '量子'. Try a part of the name. "
        "Some entities of the graph: 校准层, 浮标, 林雨晴, 青屿海洋观测站, 青屿"
    )
    assert get_entities_by_type(chinese(), BASE, "人物").text == (
        "Error: unknown entity type '人物'. Types in the graph: CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY"
    )


def test_what_a_model_is_shown_of_the_tools() -> None:
    shown = {tool.name: (sorted(tool.parameters["properties"]), tool.parameters["required"]) for tool in TOOLS}
    assert shown == {
        "search_entities": (["query"], ["query"]),
        "get_neighbors": (["entity_name", "hops"], ["entity_name"]),
        "get_entities_by_type": (["entity_type"], ["entity_type"]),
        "describe_graph": ([], []),
    }


def test_wrong_calls_are_told_not_raised() -> None:
    graph = forty()
    for tool, arguments in (
        ("no_such_tool", "{}"),
        ("search_entities", "{}"),
        ("search_entities", "not json"),
        ("get_neighbors", '{"entity_name": "KelpNet", "hops": "many"}'),
        ("get_neighbors", "[]"),
    ):
        assert use(graph, BASE, tool, arguments).text.startswith("Error: ")
    assert use(forty(), BASE, "search_entities", '{"query": "  "}').text.startswith("No entity matches ''")


def test_an_empty_graph_says_so() -> None:
    graph = forty()
    graph.entities.clear()
    graph.edges.clear()
    assert "no entities yet" in search_entities(graph, BASE, "x").text
    assert "Types in the graph: none yet" in get_entities_by_type(graph, BASE, "PERSON").text
    assert "Nodes: 0" in describe_graph(graph, BASE).text
