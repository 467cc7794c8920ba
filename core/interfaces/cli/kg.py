"""`kg export|import|stats`: the knowledge graph as files."""

from argparse import Namespace
from collections.abc import Iterable, Mapping
from itertools import count
from pathlib import Path

from core.app.services import Services
from core.graph.files.edit_files import EDITS, MAX_EDITS, edit_rows
from core.graph.files.exports import written_edges, written_nodes
from core.graph.files.file_rows import json_blocks
from core.graph.files.json_files import EDGES, NODES
from core.interfaces.cli.bases import base_to_fill, existing_base
from core.interfaces.cli.console import say, say_json, table
from core.platform.errors import InputError


def export_graph(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    folder: Path = options.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        nodes = _written(folder / NODES, written_nodes(services, base.id))
        edges = _written(folder / EDGES, written_edges(services, base.id))
        _written(folder / EDITS, edit_rows(services.graph_edits.log(base.id, MAX_EDITS)))
    except OSError as error:
        raise InputError("error.folder_unwritable", name=folder, reason=error.strerror) from error
    say(f"{_counted(nodes, edges)} written to {folder}")
    return 0


def _written(path: Path, rows: Iterable[Mapping[str, object]]) -> int:
    """Number of the rows."""
    numbers = count()
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json_blocks(row for row, _ in zip(rows, numbers, strict=False)))
    return next(numbers)


def import_graph(services: Services, options: Namespace) -> int:
    """Every source of the files becomes a document; importing the same files again changes nothing."""
    nodes, edges = (_read(options.folder / name) for name in (NODES, EDGES))
    base = base_to_fill(services, options.kb)
    taken = services.lifecycle.graph_import.take(base.id, nodes, edges)
    say(f"{_counted(taken.nodes, taken.edges)} imported into {base.name}")
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


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError("error.file_unreadable", name=path, reason=error.strerror) from error


def _counted(nodes: int, edges: int) -> str:
    return f"{nodes} {'node' if nodes == 1 else 'nodes'} and {edges} {'edge' if edges == 1 else 'edges'}"
