"""The graph as files: complete, readable by others, harmless in a spreadsheet."""

import csv
import json
from io import BytesIO, StringIO

import networkx as nx
import pytest

from core.domain.knowledge import Entity
from core.kg.files import read_edges, read_nodes
from pages.components.graph.export import edges_json, every_entity, graphml, nodes_json
from tests.fakes.services import FakeServices
from tests.pages.marlow import BASE, document

EVIL = '=HYPERLINK("http://evil.example")</data>\x00'


@pytest.fixture
def opened() -> FakeServices:
    fake = FakeServices()
    fake.library.documents.kept["d-handbook.pdf"] = document()
    return fake


def test_nodes_and_edges_are_the_files_that_can_be_brought_in_again(opened: FakeServices) -> None:
    nodes = read_nodes(nodes_json(opened, BASE.id).encode())  # type: ignore[arg-type]
    edges = read_edges(edges_json(opened, BASE.id).encode(), nodes)  # type: ignore[arg-type]
    assert {node.name for node in nodes} >= {"KelpNet", "SeaLoom"}
    assert {node.source_doc for node in nodes} == {"handbook.pdf"}
    assert edges


def test_graphml_holds_every_entity_and_relation(opened: FakeServices) -> None:
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, EVIL, "<type>", (EVIL,), 1, 1)
    read = nx.read_graphml(BytesIO(graphml(opened, BASE.id)))  # type: ignore[arg-type]
    assert read.number_of_nodes() == 11
    assert read.number_of_edges() == len(opened.graph.relations)
    assert read.nodes["e-evil"]["label"] == '=HYPERLINK("http://evil.example")</data>'


def test_a_name_that_a_spreadsheet_would_run_is_text(opened: FakeServices) -> None:
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, EVIL, "CONCEPT", ("@SUM(A1)",), 1, 1)
    rows = list(csv.reader(StringIO(every_entity(opened, BASE.id).decode("utf-8-sig"))))  # type: ignore[arg-type]
    evil = next(row for row in rows if row[0] == "e-evil")
    assert evil[1].startswith("'=")
    assert evil[3].startswith("'@")
    assert len(rows) == 12


def test_an_empty_knowledge_base_exports_empty_files(opened: FakeServices) -> None:
    assert json.loads(nodes_json(opened, "none")) == []  # type: ignore[arg-type]
    assert json.loads(edges_json(opened, "none")) == []  # type: ignore[arg-type]
