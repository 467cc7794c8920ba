"""The graph as files: complete, readable by others, harmless in a spreadsheet."""

import csv
import json
from io import BytesIO, StringIO
from typing import Any
from xml.etree import ElementTree

import networkx as nx
import pytest
from PIL import Image

from core.graph.files.exports import (
    EXPORTS,
    ExportFormat,
    drawing,
    edges_json,
    edits_json,
    entities_csv,
    nodes_json,
)
from core.graph.files.json_files import read_edges, read_edits, read_nodes
from core.graph.files.picture import PRINT_WIDTH
from core.graph.model import Entity
from core.graph.resolution import editing
from tests.fakes.services import FakeServices
from tests.pages.marlow import BASE, document, entity_id

EVIL = '=HYPERLINK("http://evil.example")</data>\x00'


@pytest.fixture
def opened() -> FakeServices:
    fake = FakeServices()
    fake.library.documents.kept["d-handbook.pdf"] = document()
    return fake


def test_nodes_and_edges_are_the_files_that_can_be_brought_in_again(opened: FakeServices) -> None:
    nodes = read_nodes("".join(nodes_json(opened, BASE.id)).encode())  # type: ignore[arg-type]
    edges = read_edges("".join(edges_json(opened, BASE.id)).encode(), nodes)  # type: ignore[arg-type]
    assert {node.name for node in nodes} >= {"KelpNet", "SeaLoom"}
    assert {node.source_doc for node in nodes} == {"handbook.pdf"}
    assert edges


def whole(form: ExportFormat, opened: Any) -> bytes:
    return str(EXPORTS[form].whole(opened, BASE.id)).encode()


def test_graphml_holds_entities_csv_and_relation(opened: FakeServices) -> None:
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, EVIL, "<type>", (EVIL,), 1, 1)
    read = nx.read_graphml(BytesIO(whole(ExportFormat.GRAPHML, opened)))
    assert read.number_of_nodes() == 11
    assert read.number_of_edges() == len(opened.graph.relations)
    assert read.nodes["e-evil"]["label"] == '=HYPERLINK("http://evil.example")</data>'


def test_a_name_that_a_spreadsheet_would_run_is_text(opened: FakeServices) -> None:
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, EVIL, "CONCEPT", ("@SUM(A1)",), 1, 1)
    rows = list(csv.reader(StringIO(entities_csv(opened, BASE.id).decode("utf-8-sig"))))  # type: ignore[arg-type]
    evil = next(row for row in rows if row[0] == "e-evil")
    assert evil[1].startswith("'=")
    assert evil[3].startswith("'@")
    assert len(rows) == 12


def test_an_empty_knowledge_base_exports_empty_files(opened: FakeServices) -> None:
    assert json.loads("".join(nodes_json(opened, "none"))) == []  # type: ignore[arg-type]
    assert json.loads("".join(edges_json(opened, "none"))) == []  # type: ignore[arg-type]


def test_gexf_and_linked_data_hold_entities_csv_and_relation(opened: FakeServices) -> None:
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, EVIL, "<type>", (EVIL,), 1, 1)
    assert nx.read_gexf(BytesIO(whole(ExportFormat.GEXF, opened))).number_of_nodes() == 11
    linked = json.loads(whole(ExportFormat.JSONLD, opened))
    assert len(linked["@graph"]) == 11 + 2 * len(opened.graph.relations)
    kelpnet = next(row for row in linked["@graph"] if row.get("name") == "KelpNet")
    assert (kelpnet["@type"], kelpnet["additionalType"]) == ("Thing", "TECHNOLOGY")


@pytest.mark.parametrize("form", [ExportFormat.SVG, ExportFormat.HTML])
def test_a_picture_of_the_view_is_well_formed_and_holds_hostile_names_as_text(
    opened: FakeServices, form: ExportFormat
) -> None:
    evil = "</svg><script>alert(1)</script>\u202e<img src=x onerror=alert(2)>"
    opened.graph.entities["e-evil"] = Entity("e-evil", BASE.id, evil, "<b>", (evil,), 99, 1)
    text = drawing(form, opened, BASE.id)  # type: ignore[arg-type]
    assert isinstance(text, str)
    assert "KelpNet" in text
    root = ElementTree.fromstring(text.removeprefix("<!doctype html>"))
    elements = [(element.tag.rsplit("}")[-1], set(element.attrib)) for element in root.iter()]
    assert not {"script", "img", "link", "iframe", "a"} & {tag for tag, _ in elements}
    assert not any(attributes & {"src", "href", "onerror"} for _, attributes in elements)
    assert sum(tag == "circle" for tag, _ in elements) == 11
    assert "\u202e" not in text


def test_changes_are_a_file_that_can_be_brought_in_again(opened: FakeServices) -> None:
    entity = opened.graph.entities[entity_id("KelpNet")]
    opened.graph_edits.record(BASE.id, [editing.rename(entity, "Kelp Net")])
    services: Any = opened
    (read,) = read_edits("".join(edits_json(services, BASE.id)).encode(), "another")
    assert (read.edit.kind, read.edit.text, read.edit.entities[0].name) == ("rename", "Kelp Net", "KelpNet")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_picture_has_its_title_and_legend_and_is_large_enough_to_print(opened: FakeServices, language: str) -> None:
    services: Any = opened
    drawn = drawing(ExportFormat.SVG, services, BASE.id, language=language)
    assert isinstance(drawn, str)
    words = {"en": ("Product or technology", "Wider line: stronger"), "zh-hans": ("产品或技术", "线越粗：关联越强")}
    assert all(each in drawn for each in (BASE.name, *words[language]))
    made = drawing(ExportFormat.PNG, services, BASE.id, language=language)
    assert isinstance(made, bytes)
    picture = Image.open(BytesIO(made))
    assert picture.width == PRINT_WIDTH
    assert len(set(picture.convert("RGB").resize((200, 168)).get_flattened_data())) > 10
