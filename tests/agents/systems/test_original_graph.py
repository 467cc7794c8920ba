"""The graph files of the original project: read, shown by the tools as they came, written again."""

import json
from itertools import combinations
from typing import Any

import pytest
from sqlalchemy import Engine

from core.agents.tools.registry import tools_of
from core.agents.tools.tool import Toolset
from core.documents.store.library import sql_library
from core.graph.files.file_rows import edge_rows, node_rows
from core.graph.files.import_documents import ImportedGraph
from core.graph.files.json_files import read_edges, read_nodes
from core.graph.store.graph import SqlGraph
from tests.agents.systems.conftest import SystemWorld, run
from tests.fakes import state_of
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import add

__all__ = ["clock", "engine", "migrated_file"]
SOURCE = "paper.pdf"
TECHNOLOGIES = ("GraphRAG", "Graph Neural Network", "LangGraph", "Neo4j")
CONCEPTS = (
    "Knowledge Graph Enhanced RAG System", "GraphRAG Pipeline", "Entity Linking", "Community Detection",
    "Modular GraphRAG", "Chunking", "Reranking", "Query Rewriting", "Dense Retrieval", "Sparse Retrieval",
    "Hybrid Search", "Knowledge Graph", "Ontology", "Triple", "Embedding", "Vector Index", "Prompt", "Hallucination",
    "Grounding", "Citation", "Summarisation", "Multi-hop Question", "Relation Extraction", "Named Entity",
    "Co-occurrence", "Degree Centrality", "Graph Density", "Shortest Path", "Subgraph", "Node", "Edge", "Token",
    "Context Window", "Agent", "Tool Call", "Evaluation",
)  # fmt: skip


def example() -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Forty entities of one page, every pair of them joined: node_0 is GraphRAG."""
    typed = [("GraphRAG", "TECHNOLOGY"), *((name, "CONCEPT") for name in CONCEPTS)]
    typed += [(name, "TECHNOLOGY") for name in TECHNOLOGIES[1:]]
    statuses = ("match_exact", "match_lesser", "match_greater", "match_fuzzy")
    nodes = [
        {
            "id": f"node_{at}",
            "name": name,
            "type": kind,
            "source_doc": SOURCE,
            "char_start": 40 * at,
            "char_end": 40 * at + len(name),
            "confidence": statuses[at % 4],
            "page": 0,
        }
        for at, (name, kind) in enumerate(typed)
    ]
    pairs = combinations(sorted(str(node["id"]) for node in nodes), 2)
    edges = [
        {"source": one, "target": other, "relation": "CO_OCCURS_IN", "doc_id": SOURCE, "page": 0}
        for one, other in pairs
    ]
    return nodes, edges


class Imported:
    def __init__(self, engine: Engine, clock: TickingClock) -> None:
        library, self.graph = sql_library(engine, clock), SqlGraph(engine)
        self.nodes, self.edges = example()
        nodes = read_nodes(json.dumps(self.nodes).encode())
        edges = read_edges(json.dumps(self.edges).encode(), nodes)
        self.base_id = library.bases.create("Graph").id
        document = add(library, library.bases.get(self.base_id), SOURCE)
        self.document_id = document.id
        library.publications.publish(ImportedGraph(self.base_id, nodes, edges).publication(document.id, SOURCE))
        self.world = SystemWorld()
        self.world.graph = self.graph  # type: ignore[assignment]  # the real one

    def said(self, tool: str, **arguments: object) -> str:
        found = next(it for it in tools_of(Toolset.GRAPH) if it.name == tool)
        return found.run(json.dumps(arguments), state_of("?", base_id=self.base_id), self.world.deps()).text


@pytest.fixture
def imported(engine: Engine, clock: TickingClock) -> Imported:
    return Imported(engine, clock)


def test_the_example_is_of_the_size_that_the_texts_speak_of() -> None:
    nodes, edges = example()
    assert (len(nodes), len(edges)) == (40, 780)


def test_a_search_shows_confidence_and_id_as_they_came(imported: Imported) -> None:
    assert imported.said("search_entities", query="GraphRAG") == (
        "Found 3 entity(ies) matching 'GraphRAG':\n"
        '  [TECHNOLOGY] "GraphRAG" (confidence=match_exact, page=0, id=node_0)\n'
        '  [CONCEPT] "GraphRAG Pipeline" (confidence=match_greater, page=0, id=node_2)\n'
        '  [CONCEPT] "Modular GraphRAG" (confidence=match_lesser, page=0, id=node_5)'
    )


def test_neighbours_come_in_the_order_of_the_file(imported: Imported) -> None:
    said = imported.said("get_neighbors", entity_name="GraphRAG").splitlines()
    assert said[:4] == [
        "Neighbors of 'GraphRAG' [TECHNOLOGY] within 1 hop(s):",
        "",
        "Hop 1 — 39 related entities:",
        "  [CONCEPT] Knowledge Graph Enhanced RAG System",
    ]
    assert said[-2:] == ["  ... and 19 more", "Total related entities: 39"]


def test_entities_of_a_type_come_in_the_order_of_the_file_with_their_confidence(imported: Imported) -> None:
    assert imported.said("get_entities_by_type", entity_type="technology") == (
        "TECHNOLOGY entities (4 total):\n"
        "  • GraphRAG (confidence=match_exact, page=0)\n"
        "  • Graph Neural Network (confidence=match_lesser, page=0)\n"
        "  • LangGraph (confidence=match_greater, page=0)\n"
        "  • Neo4j (confidence=match_fuzzy, page=0)"
    )


def test_the_overview_is_that_of_the_original(imported: Imported) -> None:
    assert imported.said("describe_graph") == (
        "=== Knowledge Graph Overview ===\n"
        "Nodes (entities): 40\n"
        "Edges (relations): 780\n"
        "Relation type: CO_OCCURS_IN (same-page co-occurrence)\n"
        "Graph density: 1.0000\n"
        "\n"
        "Entity type distribution:\n"
        "  CONCEPT        : 36\n"
        "  TECHNOLOGY     : 4\n"
        "\n"
        "Top-5 most connected entities (by degree centrality):\n"
        "  [TECHNOLOGY] GraphRAG (centrality=1.000)\n"
        "  [CONCEPT] Knowledge Graph Enhanced RAG System (centrality=1.000)\n"
        "  [CONCEPT] GraphRAG Pipeline (centrality=1.000)\n"
        "  [CONCEPT] Entity Linking (centrality=1.000)\n"
        "  [CONCEPT] Community Detection (centrality=1.000)"
    )


@pytest.mark.parametrize("question", ["有哪些TECHNOLOGY类型的实体？", "Which TECHNOLOGY entities are there?"])
def test_a_listing_needs_no_model(imported: Imported, question: str) -> None:
    view = run("graph_react", imported.world, question, base_id=imported.base_id)
    assert [tool.tool for step in view.steps for tool in step.tools] == ["get_entities_by_type"]
    assert all(name in view.answer for name in TECHNOLOGIES)


def test_what_was_read_is_written_again_in_the_original_schema(imported: Imported) -> None:
    graph, labels = list(imported.graph.all(imported.base_id)), {imported.document_id: SOURCE}
    stated = imported.graph.stated_relations(imported.base_id)
    assert node_rows(graph, labels) == imported.nodes
    assert list(edge_rows(graph, labels, stated, (), {imported.document_id})) == imported.edges


def test_ids_of_two_files_stay_apart() -> None:
    from core.graph.model import Entity, Mention, Origin

    graph = [
        (Entity(name, "b", name, "CONCEPT"), [Mention(name, name, f"d-{name}", "c", 0, 0, 1, name, 1.0, origin)])
        for name, origin in (("a", Origin("node_0", "", 0, 1)), ("b", Origin("node_0", "", 0, 1)))
    ]
    assert [row["id"] for row in node_rows(graph, {})] == ["a", "b"]
