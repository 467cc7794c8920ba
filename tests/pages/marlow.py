"""A small library and its graph in memory: what the Graph and Documents pages are tested with."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from core.documents.model import (
    Block,
    Chunk,
    Document,
    DocumentStatus,
    KnowledgeBase,
    Span,
    Stage,
    StageProgress,
)
from core.graph.model import Entity, Mention, MentionView, Relation
from core.graph.network.cooccurrence import CO_OCCURS
from tests.fakes.graph import FakeGraph
from tests.fakes.library import FakeLibrary

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BASE = KnowledgeBase("b1", "Marlow Sound", NOW)
SENTENCES = (
    "KelpNet estimates chlorophyll from the spectra of the Lumen buoys.",
    "Ingrid Solheim leads the Marlow Sound Observatory and introduced KelpNet in 2021.",
    "The Nordholm Foundation pays for the Lumen buoys until 2027.",
    "Rafael Marchetti moved from the University of Westhaven to the Nordholm Foundation.",
    "SeaLoom stores the raw spectra that KelpNet reads.",
)
NAMES = {
    "KelpNet": "TECHNOLOGY",
    "SeaLoom": "TECHNOLOGY",
    "Lumen buoys": "TECHNOLOGY",
    "chlorophyll": "CONCEPT",
    "raw spectra": "CONCEPT",
    "Ingrid Solheim": "PERSON",
    "Rafael Marchetti": "PERSON",
    "Nordholm Foundation": "ORGANIZATION",
    "University of Westhaven": "ORGANIZATION",
    "Marlow Sound Observatory": "LOCATION",
}


def entity_id(name: str) -> str:
    return f"e-{name.lower().replace(' ', '-')}"


def document(name: str = "handbook.pdf", status: DocumentStatus = DocumentStatus.READY, **changes: object) -> Document:
    made = Document(
        id=f"d-{name}",
        base_id=BASE.id,
        name=name,
        sha256="0" * 64,
        size=482_133,
        media_type="application/pdf",
        added_at=NOW,
        status=status,
        parser="docvortex 0.6.4",
        language="en",
        pages=2,
        chunks=len(SENTENCES),
        entities=len(NAMES),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def blocks_of(document_id: str) -> list[Block]:
    del document_id
    return [
        Block(index, index // 3, "text", text, box=(80, 100 + 180 * (index % 3), 920, 220 + 180 * (index % 3)))
        for index, text in enumerate(SENTENCES)
    ]


def chunks_of(document_id: str) -> list[Chunk]:
    return [
        Chunk(
            f"{document_id}-c{block.index}",
            document_id,
            block.index,
            block.text,
            ("Instruments", "KelpNet") if block.index < 2 else ("Partners",),
            (Span(0, len(block.text), block.index, block.page, block.box),),
        )
        for block in blocks_of(document_id)
    ]


def marlow_library() -> FakeLibrary:
    library = FakeLibrary(BASE, now=NOW)
    library.passages.make_blocks, library.passages.make_chunks = blocks_of, chunks_of
    return library


def sample_graph(document_id: str = "d-handbook.pdf", document_name: str = "handbook.pdf") -> FakeGraph:
    """The entities that SENTENCES name, with their mentions and co-occurrence."""
    graph = FakeGraph()
    together: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for chunk in chunks_of(document_id):
        named = [name for name in NAMES if name in chunk.text]
        for name in named:
            _mention(graph, chunk, name, document_name)
        pairs = [(a, b) for index, a in enumerate(named) for b in named[index + 1 :]]
        for a, b in pairs:
            together.setdefault((entity_id(a), entity_id(b)), []).append((document_id, chunk.page))
    graph.relations = [Relation(a, b, CO_OCCURS, float(len(pages)), tuple(pages)) for (a, b), pages in together.items()]
    return graph


def _mention(graph: FakeGraph, chunk: Chunk, name: str, document_name: str) -> None:
    key = entity_id(name)
    before = graph.entities.get(key, Entity(key, BASE.id, name, NAMES[name], (), 0, 1))
    graph.entities[key] = replace(before, mentions=before.mentions + 1)
    start = chunk.text.index(name)
    mention = Mention(
        f"{chunk.id}-{key}", key, chunk.document_id, chunk.id, chunk.page, start, start + len(name), name, 0.9
    )
    boxes = chunk.boxes(start, start + len(name))
    graph.sentences.setdefault(key, []).append(MentionView(mention, document_name, chunk.text, boxes))


def parts_of(app: AppTest, kind: str) -> list[dict[str, str]]:
    """The parts of every component of a kind, in the order in which they stand."""
    data = [json.loads(element.proto.json) for element in app.get("bidi_component") if element.proto.json]
    return [dict(one["parts"]) for one in data if one.get("kind") == kind]


def html_of_page(app: AppTest) -> list[str]:
    """Every piece of HTML on the page but its style sheets."""
    pieces = [str(piece.value) for piece in app.get("html") if isinstance(piece, Element)]
    pieces += [part for kind in ("chunk", "sentence") for parts in parts_of(app, kind) for part in parts.values()]
    return [piece for piece in pieces if not piece.startswith("<style>")]


def running_stages() -> list[StageProgress]:
    return [
        StageProgress(Stage.PARSE, "done", 12, 12, "pages", 4.2),
        StageProgress(Stage.ASSEMBLE, "done", 140, 140, "blocks", 0.1),
        StageProgress(Stage.CHUNK, "running", 10, 40, "chunks", 0.4),
    ]
