"""The whole graph of a base as files for other programs; each is made when somebody asks for it."""

import json
from io import StringIO
from typing import Protocol

from core.kg.edit_files import MAX_EDITS, edit_rows
from core.kg.files import edge_rows, node_rows, write_rows
from core.kg.linked_data import linked_data
from core.kg.turtle import turtle
from core.ports.graph import GraphEdits, KnowledgeGraph
from core.ports.library import Library


class Stores(Protocol):
    """The present graph, or one of the past."""

    @property
    def graph(self) -> KnowledgeGraph: ...

    @property
    def graph_edits(self) -> GraphEdits: ...

    @property
    def library(self) -> Library: ...


def nodes_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    write_rows(node_rows(list(stores.graph.all(base_id)), _labels(stores, base_id)), text.write)
    return text.getvalue()


def edges_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    graph = list(stores.graph.all(base_id))
    stated = stores.graph.relations_between([entity.id for entity, _ in graph])
    rejected = stores.graph_edits.resolution(base_id).rejected
    write_rows(edge_rows(graph, _labels(stores, base_id), stated, rejected), text.write)
    return text.getvalue()


def jsonld(stores: Stores, base_id: str) -> str:
    """Linked data in the words of schema.org; nothing has to be fetched to read it."""
    entities = stores.graph.every(base_id)
    relations = stores.graph.relations_between([entity.id for entity in entities])
    return json.dumps(linked_data(entities, relations), ensure_ascii=False, indent=1)


def turtle_file(stores: Stores, base_id: str) -> str:
    """The same in Turtle."""
    entities = stores.graph.every(base_id)
    return "".join(turtle(entities, stores.graph.relations_between([entity.id for entity in entities])))


def edits_json(stores: Stores, base_id: str) -> str:
    text = StringIO()
    write_rows(edit_rows(stores.graph_edits.log(base_id, MAX_EDITS)), text.write)
    return text.getvalue()


def _labels(stores: Stores, base_id: str) -> dict[str, str]:
    return {document.id: document.name for document in stores.library.documents.of_base(base_id)}
