"""`kg export|import|stats`: the knowledge graph as files."""

from argparse import Namespace
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path

from core.bootstrap import Services
from core.commands.bases import base_to_fill, existing_base
from core.commands.console import say, say_json, table
from core.errors import InputError
from core.ingest.entries import index_entries
from core.kg.files import EDGES, NODES, EdgeRow, NodeRow, edge_rows, node_rows, read_edges, read_nodes, write_rows
from core.kg.imported import publication, sources

MEDIA_TYPE = "application/json"


def export_graph(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    graph = list(services.graph.all(base.id))
    labels = {document.id: document.name for document in services.library.documents(base.id)}
    folder: Path = options.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with (folder / NODES).open("w", encoding="utf-8") as file:
            nodes = write_rows(node_rows(graph, labels), file.write)
        with (folder / EDGES).open("w", encoding="utf-8") as file:
            edges = write_rows(edge_rows(graph, labels), file.write)
    except OSError as error:
        raise InputError("error.folder_unwritable", name=folder, reason=error.strerror) from error
    say(f"{nodes} nodes and {edges} edges written to {folder}")
    return 0


def import_graph(services: Services, options: Namespace) -> int:
    """Every source of the files becomes a document; importing the same files again changes nothing."""
    data = {name: _read(options.folder / name) for name in (NODES, EDGES)}
    nodes = read_nodes(data[NODES])
    edges = read_edges(data[EDGES], nodes)
    base = base_to_fill(services, options.kb)
    for source in sources(nodes, edges):
        _publish(services, base.id, source, nodes, edges, data)
    say(f"{len(nodes)} nodes and {len(edges)} edges imported into {base.name}")
    return 0


def stats(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    found = services.graph.stats(base.id)
    counts: Mapping[str, int] = {
        "entities": found.entities,
        "mentions": found.mentions,
        "relations": found.relations,
        "documents": found.documents,
    }
    if options.json:
        say_json({"base": base.name, **counts, "types": dict(found.types)})
    else:
        table(("what", "count"), [*counts.items(), *found.types])
    return 0


def _publish(
    services: Services,
    base_id: str,
    source: str,
    nodes: Sequence[NodeRow],
    edges: Sequence[EdgeRow],
    data: Mapping[str, bytes],
) -> None:
    digest = sha256(b"\0".join([source.encode(), *data.values()])).hexdigest()
    size = sum(map(len, data.values()))
    document, _ = services.library.add_document(base_id, source, digest, size, MEDIA_TYPE)
    made = publication(base_id, document.id, source, nodes, edges)
    for index in (services.chunk_index, services.lexical_index):
        index.delete_documents(base_id, [document.id])
        for level, entries in index_entries(made).items():
            index.upsert(base_id, level, entries)
    services.library.publish(made)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("error.file_unreadable", name=path, reason=error.strerror) from error
