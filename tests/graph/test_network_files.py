"""GraphML and GEXF hold what is drawn and what it rests on."""

from dataclasses import replace
from io import BytesIO
from xml.etree import ElementTree

import networkx as nx

from core.graph.files.network_files import NetworkFile, gexf, graphml
from core.graph.model import Entity, Relation

ENTITIES = [
    Entity("a", "b", 'Ada "A" <i>', "PERSON", ("艾达",), 4, 2),
    Entity("k", "b", "KelpNet & Co\x00", "ORGANIZATION", (), 1, 1),
]
OWNS = Relation("a", "k", "owns", 0.9, (("d", 2),))
TOGETHER = Relation("a", "k", "CO_OCCURS_IN", 1.5, (("d", 2), ("d", 3)))
FILE = NetworkFile(
    ENTITIES,
    [(OWNS, "Ada owns <KelpNet>."), (TOGETHER, "")],
    {"d": "a.pdf"},
    {"a": (1.0, 2.0), "k": (-1.0, 0.5)},
    {"a": 1, "k": 1},
    {"a": 1.0, "k": 0.5},
)
GEXF = {"g": "http://gexf.net/1.3", "viz": "http://gexf.net/1.3/viz"}


def test_graphml_has_places_colours_evidence_pages_and_confidence() -> None:
    read = nx.read_graphml(BytesIO("".join(graphml(FILE)).encode()), force_multigraph=True)
    assert read.nodes["a"] == {
        **{"label": 'Ada "A" <i>', "type": "PERSON", "aliases": "艾达", "mentions": 4, "documents": 2},
        **{"connections": 1, "centrality": 1.0, "x": 1.0, "y": -2.0, "size": 19.0, "r": 208, "g": 69, "b": 62},
    }
    stated, together = (read.get_edge_data("a", "k")[key] for key in ("e0", "e1"))
    assert stated == {
        **{
            "label": "owns",
            "relation": "owns",
            "stated": True,
            "weight": 0.9,
            "confidence": 0.9,
            "pages": "a.pdf p. 3",
        },
        "evidence": "Ada owns <KelpNet>.",
    }
    assert (together["stated"], "confidence" in together) == (False, False)
    assert together["pages"] == "a.pdf p. 3; a.pdf p. 4"


def test_gexf_is_drawn_as_it_was_and_tells_direction_edge_by_edge() -> None:
    root = ElementTree.fromstring("".join(gexf(FILE)))
    ada = root.find(".//g:node[@id='a']", GEXF)
    assert ada is not None
    place, colour, size = (ada.find(f"viz:{name}", GEXF) for name in ("position", "color", "size"))
    assert place is not None
    assert place.attrib == {"x": "1.0", "y": "-2.0"}, "a third one would be a column of its own in Gephi Lite"
    assert colour is not None
    assert colour.attrib == {"r": "208", "g": "69", "b": "62"}
    assert size is not None
    assert size.get("value") == "19.0"
    edges = root.findall(".//g:edge", GEXF)
    assert [each.get("type") for each in edges] == ["directed", "undirected"]
    assert [each.get("kind") for each in edges] == ["owns", "CO_OCCURS_IN"], "Gephi keeps both"
    declared = {each.get("id") for each in root.findall(".//g:attribute", GEXF)}
    assert {each.get("for") for each in root.findall(".//g:attvalue", GEXF)} <= declared
    values = {each.get("for"): each.get("value") for each in edges[0].findall(".//g:attvalue", GEXF)}
    assert values == {
        **{"relation": "owns", "stated": "true", "confidence": "0.9"},
        **{"pages": "a.pdf p. 3", "evidence": "Ada owns <KelpNet>."},
    }


def test_networkx_reads_the_gexf_of_a_graph_in_which_nothing_is_stated() -> None:
    counted = NetworkFile(ENTITIES, [(TOGETHER, "")])
    read = nx.read_gexf(BytesIO("".join(gexf(counted)).encode()))
    assert (read.number_of_nodes(), read.number_of_edges()) == (2, 1)


def test_characters_that_xml_does_not_know_are_left_out() -> None:
    odd = NetworkFile([Entity("a", "b", "Ada\ufffe", "PERSON")], [(replace(OWNS, relation="owns\uffff"), "Ada\ufffe.")])
    for written in (graphml, gexf):
        ElementTree.fromstring("".join(written(odd)))
