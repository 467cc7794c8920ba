"""`kg search|path|export|import|stats`: queries, statistics and files of the knowledge graph."""

import sys
from argparse import Namespace
from collections.abc import Iterable, Mapping, Sequence
from itertools import count, pairwise
from pathlib import Path

from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.graph.files.exports import EXPORTS, ExportFormat, written_edges, written_nodes
from core.graph.files.file_rows import json_blocks
from core.graph.files.json_files import EDGES, EDITS, MAX_EDITS, NODES, edit_rows
from core.graph.model import Entity
from core.graph.network.cooccurrence import CO_OCCURS
from core.graph.patterns import relation_pattern
from core.interfaces.cli.arguments import base_to_fill, existing_base
from core.interfaces.cli.console import counted, note, say, say_json, table
from core.interfaces.cli.records import print_rows
from core.interfaces.lookups import fitting_statements
from core.platform.errors import InputError, NotFoundError

NO_WAY = 5
"""Exit status if there is no path."""


def search(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    if pattern := relation_pattern(options.query):
        stated = fitting_statements(services, base.id, pattern, options.top)
        relations = [(source.name, relation.relation, target.name) for source, relation, target in stated]
        return print_rows(options, ("source", "relation", "target"), relations)
    found = services.graph.search(base.id, options.query, options.top)
    names = ("id", "name", "type", "mentions", "documents")
    rows = [[getattr(entity, name) for name in names] for entity in found]
    return print_rows(options, names, rows)


def path(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    ends = [_named(services, base.id, name).id for name in (options.source, options.target)]
    (way,) = services.graph.path(base.id, ends, options.strongest)
    if options.json:
        say_json([entity.name for entity in way])
    elif way:
        say(" → ".join(entity.name for entity in way))
        for one, other in _counted_steps(services, way):
            note(f"Only mentioned together, nothing is stated: {one.name} and {other.name}")
    else:
        note(f"There is no way between {options.source} and {options.target}.")
    return 0 if way else NO_WAY


def _counted_steps(services: Services, way: Sequence[Entity]) -> list[tuple[Entity, Entity]]:
    """Steps between two of which nothing is stated."""
    found = services.graph.relations_between([entity.id for entity in way])
    stated = {frozenset((each.source_id, each.target_id)) for each in found if each.relation != CO_OCCURS}
    return [step for step in pairwise(way) if frozenset(entity.id for entity in step) not in stated]


def _named(services: Services, base_id: str, name: str) -> Entity:
    """Raises NotFoundError."""
    found = services.graph.search(base_id, name, 1)
    if not found:
        raise NotFoundError("cli.no_entity", name=name)
    return found[0]


def export(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    if not options.format:
        return _export_folder(services, base, options)
    export = EXPORTS[ExportFormat(options.format)]
    made = export.make(services, base.id)
    if isinstance(made, bytes) and not export.media_type.startswith("text/"):
        sys.stdout.buffer.write(made)
    elif isinstance(made, str | bytes):
        sys.stdout.write(made if isinstance(made, str) else made.decode("utf-8"))
    else:
        sys.stdout.writelines(made)
    return 0


def _export_folder(services: Services, base: KnowledgeBase, options: Namespace) -> int:
    folder: Path = options.folder
    try:
        folder.mkdir(parents=True, exist_ok=True)
        nodes = _written(folder / NODES, written_nodes(services, base.id))
        edges = _written(folder / EDGES, written_edges(services, base.id))
        _written(folder / EDITS, edit_rows(services.graph_edits.log(base.id, MAX_EDITS)))
    except OSError as error:
        raise InputError("error.folder_unwritable", name=folder, reason=error.strerror) from error
    say(f"{counted(nodes, 'node')} and {counted(edges, 'edge')} written to {folder}")
    return 0


def _written(path: Path, rows: Iterable[Mapping[str, object]]) -> int:
    """Writes the rows and returns their number."""
    numbers = count()
    with path.open("w", encoding="utf-8") as file:
        file.writelines(json_blocks(row for row, _ in zip(rows, numbers, strict=False)))
    return next(numbers)


def import_graph(services: Services, options: Namespace) -> int:
    """Every source of the files becomes a document; importing the same files again changes nothing."""
    nodes, edges = (_read(options.folder / name) for name in (NODES, EDGES))
    base = base_to_fill(services, options.kb)
    taken = services.lifecycle.graph_import.take(base.id, nodes, edges)
    say(f"{counted(taken.nodes, 'node')} and {counted(taken.edges, 'edge')} imported into {base.name}")
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
