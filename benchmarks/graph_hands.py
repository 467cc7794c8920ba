"""`python -m benchmarks graph_hands`: what an analyst does in a large imported graph, by the number of entities."""

import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable, Iterator
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from benchmarks.graph_files import SIZES as FILE_SIZES
from benchmarks.graph_files import graph_rows
from core.app.services import Services
from core.graph.duplicates.suggestions import suggestions
from core.graph.files.exports import EXPORTS
from core.graph.files.network_files import entities_csv
from core.graph.model import Entity
from core.graph.patterns import fitting_relations, relation_pattern
from core.graph.resolution import editing
from core.platform.settings.settings import load_settings

SIZES = FILE_SIZES
ROWS, RELATED = 100, 1_000
"""Retyped at once, and entities whose relations the table lists."""


def main(data: Path) -> None:
    del data
    sys.stdout.write(
        "| what | " + " | ".join(f"{nodes:,} entities, {edges:,} edges" for nodes, edges in SIZES) + " |\n"
    )
    sys.stdout.write("|---" * (len(SIZES) + 1) + "|\n")
    columns = [dict(_measured(nodes, edges)) for nodes, edges in SIZES]
    for what in columns[0]:
        sys.stdout.write(f"| {what} | {' | '.join(column[what] for column in columns)} |\n")


def _measured(nodes: int, edges: int) -> Iterator[tuple[str, str]]:
    with tempfile.TemporaryDirectory() as folder, Services(load_settings(Path(folder))) as services:
        base_id = services.library.bases.create("Imported").id
        rows = graph_rows(nodes, edges)
        yield "import", _seconds(lambda: services.lifecycle.graph_import.take(base_id, *rows))
        yield from _looked_at(services, base_id)
        yield from _edited(services, base_id)
        yield "the whole graph, laid out", _seconds(lambda: _laid_out(services, base_id))
        for form, export in EXPORTS.items():
            yield f"export as {form}", _seconds(partial(export.whole, services, base_id))
        yield "memory of the GEXF while it is written", _peak(lambda: _write(EXPORTS, services, base_id))


def _looked_at(services: Services, base_id: str) -> Iterator[tuple[str, str]]:
    graph = services.graph
    yield "first view", _seconds(lambda: graph.view(base_id, (), 1, 150))
    every = graph.every(base_id)
    ends = [every[0].id, every[-1].id]
    yield "first path", _seconds(lambda: graph.path(base_id, ends, False))
    yield "path", _seconds(lambda: graph.path(base_id, ends, False))
    yield "strongest path", _seconds(lambda: graph.path(base_id, ends, True))
    yield "table of entities", _seconds(lambda: graph.every(base_id))
    ids = [entity.id for entity in every[:RELATED]]
    yield f"table of relations, {RELATED:,} entities", _seconds(lambda: graph.relations_between(ids))
    yield "table of entities as CSV", _seconds(lambda: entities_csv(every))
    yield "relations that fit CONCEPT -own-> ?", _seconds(lambda: _fitting(services, base_id, every))
    yield "duplicates by their names", _seconds(lambda: suggestions(every, _NoTexts()))


def _edited(services: Services, base_id: str) -> Iterator[tuple[str, str]]:
    edits, graph = services.graph_edits, services.graph
    some = graph.every(base_id)[:ROWS]
    yield f"retype {ROWS}", _seconds(lambda: edits.record(base_id, [editing.retype(some, "PERSON")]))
    yield "the view after it", _seconds(lambda: graph.view(base_id, (), 1, 150))
    yield "merge two", _seconds(lambda: edits.record(base_id, [editing.merge(some[0], [some[1]])]))
    yield "the path after it", _seconds(lambda: graph.path(base_id, [some[0].id, some[9].id], False))
    undone = [each.number for each in edits.next_undo(base_id)]
    yield "undo", _seconds(lambda: edits.set_undone(base_id, undone, True))
    yield "the table after it", _seconds(lambda: graph.every(base_id))


class _NoTexts:
    def documents_of(self, entity_ids: Any) -> dict[str, set[str]]:
        return {id: {""} for id in entity_ids}

    def passages(self, one: Entity, other: Entity) -> list[str]:
        del one, other
        return []


def _fitting(services: Services, base_id: str, every: list[Entity]) -> int:
    pattern = relation_pattern("CONCEPT -own-> ?")
    assert pattern is not None
    return len(fitting_relations(pattern, services.graph.stated_relations(base_id), {each.id: each for each in every}))


def _laid_out(services: Services, base_id: str) -> None:
    while services.whole_graphs.whole(base_id).rough:
        time.sleep(0.05)


def _write(exports: Any, services: Services, base_id: str) -> None:
    pieces = exports["gexf"].make(services, base_id)
    while list(islice(pieces, 1_000)):
        pass


def _peak(work: Callable[[], object]) -> str:
    tracemalloc.start()
    work()
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return f"{peak / 1e6:.0f} MB"


def _seconds(work: Callable[[], object]) -> str:
    """By the clock, and of the processor."""
    start, used = time.perf_counter(), time.process_time()
    work()
    return f"{time.perf_counter() - start:.3f} s, {time.process_time() - used:.3f}"


if __name__ == "__main__":
    main(Path())
