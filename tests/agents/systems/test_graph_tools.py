"""The texts of the graph tools, which are a contract: golden on forty nodes and on a Chinese graph, in the database."""

from dataclasses import dataclass, field

import pytest
from sqlalchemy import Engine

from core.agents.tools.registry import tools_of
from core.agents.tools.tool import Toolset
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.files.import_documents import ImportedGraph
from core.graph.files.json_files import EdgeRow, NodeRow
from core.graph.store.graph import SqlGraph
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.graphs import WalkedGraph, chinese, forty
from tests.fakes import World, state_of
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import add

__all__ = ["clock", "engine", "migrated_file"]


@dataclass
class Stored:
    """Graphs in a knowledge base of the database, each a document with an edge a page."""

    library: Library
    graph: SqlGraph
    base_id: str = field(init=False)

    def __post_init__(self) -> None:
        self.base_id = self.library.bases.create("Graph").id

    def take(self, graph: WalkedGraph) -> None:
        source = f"{len(self.library.documents.of_base(self.base_id))}.pdf"
        pairs = sorted({tuple(sorted((one, other))) for one, others in graph.edges.items() for other in others})
        edges = [EdgeRow(one, other, "CO_OCCURS_IN", source, page) for page, (one, other) in enumerate(pairs)]
        pages = {end: edge.page for edge in reversed(edges) for end in (edge.source, edge.target)}
        nodes = [NodeRow(it.id, it.name, it.type, source, 0, 1, 0.95, pages.get(it.id, 0)) for it in graph.entities]
        document = add(self.library, self.library.bases.get(self.base_id), source)
        self.library.publications.publish(ImportedGraph(self.base_id, nodes, edges).publication(document.id, source))

    def said(self, tool: str, arguments: str = "{}") -> str:
        world = World()
        world.graph = self.graph  # type: ignore[assignment]  # the real one
        asked = state_of("?", base_id=self.base_id)
        found = next(it for it in tools_of(Toolset.GRAPH) if it.name == tool)
        return found.run(arguments, asked, world.deps()).text


@pytest.fixture
def nothing(engine: Engine, clock: TickingClock) -> Stored:
    return Stored(sql_library(engine, clock), SqlGraph(engine))


@pytest.fixture
def english(nothing: Stored) -> Stored:
    nothing.take(forty())
    return nothing


@pytest.fixture
def han(nothing: Stored) -> Stored:
    nothing.take(chinese())
    return nothing


def test_search_names_type_confidence_page_and_id(english: Stored) -> None:
    assert english.said("search_entities", '{"query": "HARBOR"}') == (
        "Found 2 entity(ies) matching 'HARBOR':\n"
        '  [TECHNOLOGY] "HarborDB" (confidence=0.95, page=26, id=e-HarborDB)\n'
        '  [ORGANIZATION] "Harbor Institute" (confidence=0.95, page=34, id=e-Harbor Institute)'
    )


def test_search_shows_fifteen_and_says_that_there_are_more(english: Stored) -> None:
    lines = english.said("search_entities", '{"query": "e"}').splitlines()
    assert lines[0] == "Found 26 entity(ies) matching 'e':"
    assert [line.split('"')[1] for line in lines[1:-1]] == [
        "EskFlow", "KelpNet", "LanternOS", "NimbusCache", "OpalQueue", "PikeLang", "RidgeRPC", "SableAuth", "TernMesh",
        "Attention", "Backpressure", "Consensus", "Embedding", "Idempotency", "Lease",
    ]  # fmt: skip
    assert lines[-1] == "... and 11 more. Use a longer query to narrow the search."


def test_search_without_a_hit_suggests_the_first_eight(english: Stored) -> None:
    assert english.said("search_entities", '{"query": "zebra"}') == (
        "No entity matches 'zebra'. Try a part of the name. Some entities of the graph: EskFlow, HarborDB, KelpNet, "
        "LanternOS, MistralBus, NimbusCache, OpalQueue, PikeLang"
    )


def test_neighbours_of_one_hop(english: Stored) -> None:
    assert english.said("get_neighbors", '{"entity_name": "kelpnet"}') == (
        "Neighbors of 'KelpNet' [TECHNOLOGY] within 1 hop(s):\n\n"
        "Hop 1 — 3 related entities:\n  [TECHNOLOGY] EskFlow\n  [TECHNOLOGY] HarborDB\n  [TECHNOLOGY] LanternOS\n"
        "Total related entities: 3"
    )


def test_neighbours_are_where_the_shortest_way_leads(english: Stored) -> None:
    """Esbjerg lies beside EskFlow and Dunkirk: it is one hop from the one, two from what only the other joins to it."""
    assert english.said("get_neighbors", '{"entity_name": "Dunkirk", "hops": 3}') == (
        "Neighbors of 'Dunkirk' [LOCATION] within 3 hop(s):\n\n"
        "Hop 1 — 2 related entities:\n  [LOCATION] Cadiz\n  [LOCATION] Esbjerg\n"
        "Hop 2 — 2 related entities:\n  [TECHNOLOGY] EskFlow\n  [LOCATION] Bergen\n"
        "Hop 3 — 16 related entities:\n  [TECHNOLOGY] HarborDB\n  [TECHNOLOGY] KelpNet\n  [TECHNOLOGY] MistralBus\n"
        "  [TECHNOLOGY] OpalQueue\n  [TECHNOLOGY] QuartzVM\n  [TECHNOLOGY] SableAuth\n  [CONCEPT] Attention\n"
        "  [CONCEPT] Calibration\n  [CONCEPT] Distillation\n  [CONCEPT] Graph Partitioning\n  [CONCEPT] Lease\n"
        "  [CONCEPT] Sharding\n  [PERSON] Ada Wren\n  [PERSON] Chen Rui\n  [PERSON] Elif Aydin\n  [LOCATION] Aberdeen\n"
        "Total related entities: 20"
    )


@pytest.mark.parametrize(("hops", "taken"), [("-5", 1), ("0", 1), ("null", 1), ('"2"', 2), ("3", 3), ("99", 3)])
def test_hops_are_taken_into_one_to_three(english: Stored, hops: str, taken: int) -> None:
    lines = english.said("get_neighbors", f'{{"entity_name": "Dunkirk", "hops": {hops}}}').splitlines()
    assert lines[0] == f"Neighbors of 'Dunkirk' [LOCATION] within {taken} hop(s):"
    assert sum(line.startswith("Hop ") for line in lines) == taken


def test_at_most_twenty_of_a_hop_are_shown_and_all_are_counted(nothing: Stored) -> None:
    graph = forty()
    graph.edges.clear()
    for other in graph.entities:
        if other.name != "KelpNet":
            graph.connect("KelpNet", other.name)
    nothing.take(graph)
    lines = nothing.said("get_neighbors", '{"entity_name": "KelpNet"}').splitlines()
    assert lines[2] == "Hop 1 — 39 related entities:"
    assert sum(line.startswith("  [") for line in lines) == 20
    assert lines[-2:] == ["  ... and 19 more", "Total related entities: 39"]


@pytest.mark.parametrize(
    ("asked", "start"),
    [("opal", "'Opal' [CONCEPT]"), ("flow", "'Flow Meter' [CONCEPT]"), ("institute", "'Harbor Institute' ")],
)
def test_the_start_is_exact_then_prefix_then_part(nothing: Stored, asked: str, start: str) -> None:
    """However often OpalQueue and EskFlow are mentioned."""
    graph = forty()
    graph.add("Opal", "CONCEPT")
    graph.add("Flow Meter", "CONCEPT")
    nothing.take(graph)
    assert nothing.said("get_neighbors", f'{{"entity_name": "{asked}"}}').startswith(f"Neighbors of {start}")


def test_an_unknown_start_hints_at_the_search(english: Stored) -> None:
    assert english.said("get_neighbors", '{"entity_name": "Zebra"}') == (
        "No entity called 'Zebra'. Use search_entities to find its name in the graph."
    )


def test_entities_of_a_type_are_sorted(english: Stored) -> None:
    assert english.said("get_entities_by_type", '{"entity_type": "location"}') == (
        "LOCATION entities (5 total):\n"
        "  • Aberdeen (confidence=0.95, page=0)\n  • Bergen (confidence=0.95, page=0)\n"
        "  • Cadiz (confidence=0.95, page=9)\n"
        "  • Dunkirk (confidence=0.95, page=11)\n  • Esbjerg (confidence=0.95, page=20)"
    )


def test_an_unknown_type_names_those_there_are(english: Stored) -> None:
    assert english.said("get_entities_by_type", '{"entity_type": "animal"}') == (
        "Error: unknown entity type 'ANIMAL'. Types in the graph: CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY"
    )


def test_the_graph_as_a_whole(english: Stored) -> None:
    assert english.said("describe_graph") == (
        "=== Knowledge Graph Overview ===\nNodes (entities): 40\nEdges (relations): 54\n"
        "Relation type: CO_OCCURS_IN (same-page co-occurrence)\nGraph density: 0.0692\n\nEntity type distribution:\n"
        "  CONCEPT        : 12\n  TECHNOLOGY     : 12\n  PERSON         : 6\n  LOCATION       : 5\n"
        "  ORGANIZATION   : 5\n\n"
        "Top-5 most connected entities (by degree centrality):\n"
        "  [TECHNOLOGY] EskFlow (centrality=0.410)\n  [TECHNOLOGY] KelpNet (centrality=0.077)\n"
        "  [TECHNOLOGY] MistralBus (centrality=0.077)\n"
        "  [TECHNOLOGY] OpalQueue (centrality=0.077)\n  [TECHNOLOGY] QuartzVM (centrality=0.077)"
    )


def test_a_chinese_graph(han: Stored) -> None:
    assert han.said("search_entities", '{"query": "青屿"}') == (
        "Found 2 entity(ies) matching '青屿':\n"
        '  [ORGANIZATION] "青屿海洋观测站" (confidence=0.95, page=0, id=e-青屿海洋观测站)\n'
        '  [LOCATION] "青屿" (confidence=0.95, page=3, id=e-青屿)'
    )
    assert han.said("get_neighbors", '{"entity_name": "校准层", "hops": 2}') == (
        "Neighbors of '校准层' [CONCEPT] within 2 hop(s):\n\n"
        "Hop 1 — 1 related entities:\n  [TECHNOLOGY] 浮标\n"
        "Hop 2 — 1 related entities:\n  [ORGANIZATION] 青屿海洋观测站\n"
        "Total related entities: 2"
    )
    assert han.said("get_entities_by_type", '{"entity_type": "person"}') == (
        "PERSON entities (1 total):\n  • 林雨晴 (confidence=0.95, page=0)"
    )


def test_a_chinese_graph_as_a_whole(han: Stored) -> None:
    assert han.said("describe_graph") == (
        "=== Knowledge Graph Overview ===\nNodes (entities): 5\nEdges (relations): 4\n"
        "Relation type: CO_OCCURS_IN (same-page co-occurrence)\nGraph density: 0.4000\n\nEntity type distribution:\n"
        "  CONCEPT        : 1\n  LOCATION       : 1\n  ORGANIZATION   : 1\n  PERSON         : 1\n"
        "  TECHNOLOGY     : 1\n\n"
        "Top-5 most connected entities (by degree centrality):\n"
        "  [ORGANIZATION] 青屿海洋观测站 (centrality=0.750)\n  [TECHNOLOGY] 浮标 (centrality=0.500)\n"
        "  [CONCEPT] 校准层 (centrality=0.250)\n  [PERSON] 林雨晴 (centrality=0.250)\n"
        "  [LOCATION] 青屿 (centrality=0.250)"
    )
    assert han.said("search_entities", '{"query": "量子"}') == (
        "No entity matches '量子'. Try a part of the name. "
        "Some entities of the graph: 校准层, 浮标, 林雨晴, 青屿海洋观测站, 青屿"
    )
    assert han.said("get_neighbors", '{"entity_name": "量子"}') == (
        "No entity called '量子'. Use search_entities to find its name in the graph."
    )
    assert han.said("get_entities_by_type", '{"entity_type": "人物"}') == (
        "Error: unknown entity type '人物'. Types in the graph: CONCEPT, LOCATION, ORGANIZATION, PERSON, TECHNOLOGY"
    )


def test_tools_read_the_graph_as_an_ingest_has_left_it(han: Stored) -> None:
    """Tools that captured a graph object went stale after an ingest."""
    world = SystemWorld()
    world.graph = han.graph  # type: ignore[assignment]  # the real one
    asked = "What is related to 校准层?"
    before = run("graph_react", world, asked, base_id=han.base_id).answer
    more = chinese()
    more.add("藻华", "CONCEPT")
    more.connect("校准层", "藻华")
    han.take(more)
    after = run("graph_react", world, asked, base_id=han.base_id).answer
    assert "浮标" in before
    assert "藻华" not in before
    assert "藻华" in after


def test_what_a_model_is_shown_of_the_tools() -> None:
    schemas = {tool.name: tool.schema().parameters for tool in tools_of(Toolset.GRAPH)}
    shown = {name: (sorted(schema["properties"]), schema["required"]) for name, schema in schemas.items()}
    assert shown == {
        "search_entities": (["query"], ["query"]),
        "get_neighbors": (["entity_name", "hops"], ["entity_name"]),
        "get_entities_by_type": (["entity_type"], ["entity_type"]),
        "describe_graph": ([], []),
    }


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("search_entities", "{}"),
        ("search_entities", "not json"),
        ("search_entities", "[" * 100_000),
        ("get_neighbors", '{"entity_name": "KelpNet", "hops": "many"}'),
        ("get_neighbors", '{"entity_name": "KelpNet", "hops": 1e999}'),
        ("get_neighbors", "[]"),
    ],
)
def test_wrong_calls_are_told_not_raised(english: Stored, tool: str, arguments: str) -> None:
    assert english.said(tool, arguments).startswith("Error: ")


def test_a_query_of_blanks_finds_nothing(english: Stored) -> None:
    assert english.said("search_entities", '{"query": "  "}').startswith("No entity matches ''")


def test_an_empty_graph_says_so(nothing: Stored) -> None:
    assert nothing.said("search_entities", '{"query": "x"}').endswith("The graph has no entities yet.")
    assert nothing.said("get_entities_by_type", '{"entity_type": "PERSON"}').endswith("Types in the graph: none yet")
    assert "Nodes (entities): 0" in nothing.said("describe_graph")
