"""kg_nodes.json and kg_edges.json, out and in."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.model import Chunk, Span
from core.graph.files import json_files as files
from core.graph.files.file_rows import edge_rows, json_blocks, node_rows
from core.graph.files.json_files import EdgeRow, NodeRow, read_edges, read_nodes
from core.graph.linking.linking import link
from core.graph.model import Entity, Mention, Relation
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.platform.errors import InputError

LABELS = {"d1": "paper.pdf", "d2": "report.pdf"}
NODE = {
    "id": "n1",
    "name": "EskFlow",
    "type": "TECHNOLOGY",
    "source_doc": "paper.pdf",
    "char_start": 3,
    "char_end": 10,
    "confidence": 0.9,
    "page": 0,
}
EDGE = {"source": "n1", "target": "n2", "relation": "CO_OCCURS_IN", "doc_id": "paper.pdf", "page": 0}


def entity(id: str, name: str, type: str = "CONCEPT") -> Entity:
    return Entity(id, "b", name, type)


def mention(entity_id: str, document_id: str, page: int, start: int = 0) -> Mention:
    id = f"{entity_id}-{document_id}-{page}-{start}"
    return Mention(id, entity_id, document_id, f"c{page}", page, start, start + 3, "abc", 0.87654)


GRAPH = [
    (entity("b", "Beck"), [mention("b", "d1", 1, 5), mention("b", "d1", 0, 9), mention("b", "d2", 0)]),
    (entity("a", "Ada", "PERSON"), [mention("a", "d1", 0, 2), mention("a", "d1", 0, 7)]),
    (entity("c", "Cove"), [mention("c", "d1", 0), mention("c", "d2", 0)]),
]


def as_bytes(rows: object) -> bytes:
    return json.dumps(rows).encode()


def test_a_node_has_exactly_the_agreed_fields_and_its_first_mention() -> None:
    assert node_rows(GRAPH, LABELS)[0] == {
        "id": "b",
        "name": "Beck",
        "type": "CONCEPT",
        "source_doc": "paper.pdf",
        "char_start": 9,
        "char_end": 12,
        "confidence": "match_exact",
        "page": 0,
        "score": 0.8765,
    }


def test_what_was_extracted_is_written_and_read_back() -> None:
    """A heading names what only a bracket behind a longer name had told of."""
    texts = ("The Marlow Tide Institute (MTI) answers. We asked MTI.", "Lena Vogt wrote to the MTI.")
    chunks = [Chunk(f"c{at}", "d1", at, text, (), (Span(0, len(text), at, at, None),)) for at, text in enumerate(texts)]
    entities, mentions = link("b", "d1", chunks, BuiltinExtractor(OnnxEntityTagger()).extract(texts))
    assert "Marlow Tide Institute" in {mention.surface for mention in mentions}
    assert all(0 < mention.confidence <= 1 for mention in mentions)
    graph = [(entity, [mention for mention in mentions if mention.entity_id == entity.id]) for entity in entities]
    assert len(read_nodes(as_bytes(node_rows(graph, LABELS)))) == len(entities) > 1


def test_a_confidence_below_zero_is_written_as_none() -> None:
    (ada, [first, *_]) = GRAPH[1]
    (row,) = node_rows([(ada, [replace(first, confidence=-0.02)])], LABELS)
    assert row["score"] == 0


def test_nodes_of_one_name_and_type_are_one_row_and_those_without_mention_none() -> None:
    graph = [*GRAPH, (entity("b2", "BECK"), [mention("b2", "d2", 3)]), (entity("z", "Zero"), [])]
    assert [row["id"] for row in node_rows(graph, LABELS)] == ["b", "a", "c"]


def test_every_pair_of_a_page_is_an_edge_once_in_string_order() -> None:
    edges = [(e["source"], e["target"], e["doc_id"], e["page"]) for e in edge_rows(GRAPH, LABELS)]
    assert edges == [
        ("a", "b", "paper.pdf", 0),
        ("a", "c", "paper.pdf", 0),
        ("b", "c", "paper.pdf", 0),
        ("b", "c", "report.pdf", 0),
    ]
    assert next(edge_rows(GRAPH, LABELS)) == {**EDGE, "source": "a", "target": "b"}


def test_documents_of_one_name_stay_apart() -> None:
    labels = {"d1": "same.pdf", "d2": "same.pdf"}
    assert {e["doc_id"] for e in edge_rows(GRAPH, labels)} == {"same.pdf (d1)", "same.pdf (d2)"}
    assert {e["doc_id"] for e in edge_rows(GRAPH, {})} == {"d1", "d2"}


def test_what_is_written_can_be_read_again() -> None:
    nodes, edges = ("".join(json_blocks(rows(GRAPH, LABELS))).encode() for rows in (node_rows, edge_rows))
    read = read_nodes(nodes)
    assert [row.name for row in read] == ["Beck", "Ada", "Cove"]
    assert read[0] == NodeRow("b", "Beck", "CONCEPT", "paper.pdf", 9, 12, 0.8765, 0, "match_exact")
    assert len(read_edges(edges, read)) == 4
    assert json.loads("".join(json_blocks([]))) == []


@pytest.mark.parametrize("alignment", ["match_exact", "match_greater", "match_lesser", "match_fuzzy"])
def test_an_alignment_is_kept_as_it_came(alignment: str) -> None:
    (row,) = read_nodes(as_bytes([{**NODE, "confidence": alignment}]))
    assert (row.alignment, row.confidence) == (alignment, files.SURE[alignment])
    (scored,) = read_nodes(as_bytes([{**NODE, "confidence": alignment, "score": 0.25}]))
    assert (scored.alignment, scored.confidence) == (alignment, 0.25)


@pytest.mark.parametrize(
    ("name", "head", "kind"),
    [
        ("KG_nodes.json", b"anything", files.NODES),
        ("kg_edges.json", b"", files.EDGES),
        ("kg_nodes (1).json", as_bytes([NODE]), files.NODES),
        ("pairs.json", as_bytes([EDGE, EDGE])[:-40], files.EDGES),
        ("bom.json", b"\xef\xbb\xbf \n" + as_bytes([NODE]), files.NODES),
        ("notes.json", as_bytes([{"id": 1, "name": "x"}]), ""),
        ("object.json", as_bytes(NODE), ""),
        ("notes.txt", as_bytes([NODE]), ""),
        ("deep.json", b"[" + b'{"a":' * 2_000, ""),
        ("list.json", b"[1, {}]", ""),
        ("bytes.json", b"\xff\xfe[{", ""),
    ],
)
def test_the_files_of_a_graph_are_known_by_name_or_first_row(name: str, head: bytes, kind: str) -> None:
    assert files.graph_file(name, head) == kind


def test_a_number_is_read_as_one() -> None:
    (row,) = read_nodes(as_bytes([NODE]))
    assert (row.alignment, row.confidence) == ("", 0.9)


def test_self_loops_and_repeated_edges_are_left_out() -> None:
    nodes = read_nodes(as_bytes([NODE, {**NODE, "id": "n2"}]))
    edges = read_edges(as_bytes([EDGE, EDGE, {**EDGE, "target": "n1"}]), nodes)
    assert edges == [EdgeRow("n1", "n2", "CO_OCCURS_IN", "paper.pdf", 0)]


def test_optional_fields_have_defaults_and_others_are_ignored() -> None:
    (row,) = read_nodes(as_bytes([{"id": "1", "name": "A", "type": "X", "source_doc": "d", "extra": [1]}]))
    assert row == NodeRow("1", "A", "X", "d", 0, 0, 1.0, 0)


@pytest.mark.parametrize(
    ("data", "key"),
    [
        (b"{", "kg.not_json"),
        (b"\xff\xfe", "kg.not_json"),
        (b"[NaN]", "kg.not_json"),
        (b"[" * 100_000, "kg.nested_too_deeply"),
        (b"{}", "kg.not_a_list"),
        (b"[1]", "kg.row_not_an_object"),
        (as_bytes([NODE, NODE]), "kg.duplicate_id"),
    ],
)
def test_files_of_another_shape_are_refused(data: bytes, key: str) -> None:
    with pytest.raises(InputError) as caught:
        read_nodes(data)
    assert caught.value.key == key
    assert caught.value.sentence("zh-hans")


@pytest.mark.parametrize(
    ("change", "key"),
    [
        ({"id": 3}, "kg.text_invalid"),
        ({"id": ""}, "kg.text_invalid"),
        ({"id": "a\nb"}, "kg.text_invalid"),
        ({"name": None}, "kg.text_invalid"),
        ({"name": " \u200b "}, "kg.text_invalid"),
        ({"name": "x" * 301}, "kg.text_invalid"),
        ({"type": ["X"]}, "kg.text_invalid"),
        ({"source_doc": "\ud800"}, "kg.text_invalid"),
        ({"page": -1}, "kg.number_invalid"),
        ({"page": 1.5}, "kg.number_invalid"),
        ({"page": True}, "kg.number_invalid"),
        ({"page": 10**30}, "kg.number_invalid"),
        ({"char_end": 1}, "kg.number_invalid"),
        ({"confidence": 2}, "kg.number_invalid"),
        ({"confidence": "high"}, "kg.alignment_unknown"),
        ({"score": 2, "confidence": "match_exact"}, "kg.number_invalid"),
        ({"score": -2.0, "confidence": "match_exact"}, "kg.number_invalid"),
    ],
)
def test_a_bad_field_is_named_with_its_row(change: Mapping[str, Any], key: str) -> None:
    with pytest.raises(InputError) as caught:
        read_nodes(as_bytes([NODE, {**NODE, "id": "n2", **change}]))
    assert caught.value.key == key
    assert (caught.value.params["row"], caught.value.params["field"]) == ("2", next(iter(change)))


def test_an_edge_to_nowhere_is_refused() -> None:
    with pytest.raises(InputError, match="n2"):
        read_edges(as_bytes([EDGE]), read_nodes(as_bytes([NODE])))


def test_sizes_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MAX_ROWS", 1)
    with pytest.raises(InputError, match="at most 1"):
        read_nodes(as_bytes([NODE, {**NODE, "id": "n2"}]))
    monkeypatch.setattr(files, "MAX_BYTES", 2**20)
    with pytest.raises(InputError, match="larger than 1 MB"):
        read_nodes(b" " * (2**20 + 1))


def test_names_are_shown_without_invisible_characters() -> None:
    (row,) = read_nodes(as_bytes([{**NODE, "name": "Esk\u202e\u200bFlow\n2"}]))
    assert row.name == "EskFlow 2"


def test_stated_relations_follow_with_every_page_that_states_them() -> None:
    stated = [
        Relation("b", "a", "leads", 1.0, (("d1", 0), ("d1", 2))),
        Relation("a", "gone", "knows", 1.0, (("d1", 0),)),
    ]
    rows = list(edge_rows(GRAPH, LABELS, stated))
    assert rows[: len(rows) - 2] == list(edge_rows(GRAPH, LABELS))
    assert [(row["source"], row["relation"], row["target"], row["page"]) for row in rows[-2:]] == [
        ("b", "leads", "a", 0),
        ("b", "leads", "a", 2),
    ]


def test_a_stated_relation_without_pages_stands_where_its_source_is_mentioned_first() -> None:
    stated = [Relation("b", "a", "leads", 1.0), Relation("b", "c", "knows", 1.0, (("gone", 3),))]
    rows = list(edge_rows(GRAPH, LABELS, stated))
    place = node_rows(GRAPH, LABELS)[0]
    assert (place["id"], place["page"]) == ("b", 0)
    assert [(row["source"], row["relation"], row["doc_id"], row["page"]) for row in rows[-2:]] == [
        ("b", "leads", place["source_doc"], 0),
        ("b", "knows", place["source_doc"], 0),
    ]


def test_a_page_whose_passages_are_rejected_for_a_pair_does_not_connect_it() -> None:
    places = {(m.chunk_id, m.document_id, m.page) for entity, mentions in GRAPH if entity.id == "a" for m in mentions}
    shared = sorted(
        (m.chunk_id, m.document_id, m.page)
        for entity, mentions in GRAPH
        if entity.id == "b"
        for m in mentions
        if (m.chunk_id, m.document_id, m.page) in places
    )
    all_rows = list(edge_rows(GRAPH, LABELS))
    kept = list(edge_rows(GRAPH, LABELS, (), {(shared[0][0], "a", "b")}))
    gone = [row for row in all_rows if row not in kept]
    assert [(row["source"], row["target"], row["page"]) for row in gone] == [("a", "b", shared[0][2])]
