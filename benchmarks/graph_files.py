"""`python -m benchmarks graph_files`: importing and exporting graphs of other programs, by the number of edges."""

import json
import sys
import time
from collections.abc import Callable
from io import BytesIO
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

from core.app.services import Services
from core.graph.files.exports import edges_json, nodes_json
from core.platform.settings.settings import load_settings

SIZES = ((10_000, 15_228), (50_000, 100_000))
"""(nodes, edges)."""
DOCUMENTS, PAGES = 40, 25


def main(data: Path) -> None:
    del data
    sys.stdout.write("| nodes | edges | import | first bytes of the edges | export of both | relations |\n")
    sys.stdout.write("|---|---|---|---|---|---|\n")
    for nodes, edges in SIZES:
        with TemporaryDirectory() as folder, Services(load_settings(Path(folder))) as services:
            sys.stdout.write(f"| {nodes:,} | {edges:,} | {_measured(services, nodes, edges)} |\n")


def _measured(services: Services, nodes: int, edges: int) -> str:
    base_id = services.library.bases.create("Imported").id
    rows = graph_rows(nodes, edges)
    imported, taken = _timed(lambda: services.lifecycle.graph_import.take(base_id, *rows))
    begun, _ = _timed(lambda: next(edges_json(services, base_id)))
    written = BytesIO()
    exported, _ = _timed(
        lambda: [written.write(b.encode()) for make in (nodes_json, edges_json) for b in make(services, base_id)]
    )
    return f"{imported:.1f} s | {begun:.1f} s | {exported:.1f} s | {taken.edges:,}"


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    start = time.perf_counter()
    made = work()
    return time.perf_counter() - start, made


def graph_rows(nodes: int, edges: int) -> list[bytes]:
    """The two files."""
    return [json.dumps(each).encode() for each in graph(nodes, edges)]


def graph(nodes: int, edges: int) -> tuple[list[dict[str, object]], list[dict[str, object]]]:
    """Most edges say that two occur together, on the page of one of them."""
    random = Random(1)
    places = [(f"{random.randrange(DOCUMENTS)}.pdf", random.randrange(PAGES)) for _ in range(nodes)]
    named = [
        {"id": f"node_{at}", "name": f"Entity {at}", "type": "CONCEPT", "source_doc": source, "page": page}
        for at, (source, page) in enumerate(places)
    ]
    joined = []
    for _ in range(edges):
        source, target = random.sample(range(nodes), 2)
        document, page = places[source]
        relation = "CO_OCCURS_IN" if random.random() < 0.8 else "OWNS"
        ends = {"source": f"node_{source}", "target": f"node_{target}"}
        joined.append({**ends, "relation": relation, "doc_id": document, "page": page})
    return named, joined


if __name__ == "__main__":
    main(Path())
