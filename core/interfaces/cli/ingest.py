"""`ingest PATH...`: adds files or folders and waits until each has ended; --dry-run only estimates the effort.

Options decide about changed files and costs of a model, as questions do on the Documents page.
"""

import sys
import time
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path

from core.app.services import Services
from core.documents.model import Document, DocumentStatus, Effort, KnowledgeBase
from core.graph.files.json_files import EDGES, EDITS, HEAD_BYTES, NODES, graph_file
from core.interfaces.cli.arguments import base_to_fill, files_below
from core.interfaces.cli.console import note, say, say_json, table
from core.interfaces.lookups import error_of
from core.platform.errors import AppError, InputError, ServiceError
from core.platform.texts import text
from core.runs.history.prices import Price, cost_of, load_prices
from core.runs.model import Usage

_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED, DocumentStatus.PAUSED)
_POLL_SECONDS = 0.2
_STANDSTILL_SECONDS = 60.0
_FAULT_SECONDS = 10.0
"""Longest fault of the ingestion; a new queue file requires a restart of its process."""
_START_MINUTES = 3
_START_SECONDS = _START_MINUTES * 60.0
_ESTIMATED = ("pages", "recognised", "chunks", "model_calls", "prompt_tokens", "completion_tokens", "seconds")


def run(services: Services, options: Namespace) -> int:
    if options.dry_run:
        return _estimate(services, options)
    password = sys.stdin.readline().rstrip("\r\n") if options.password_stdin else ""
    base = base_to_fill(services, options.kb)
    paths = list(_files(options.paths))
    graphs = _graphs(paths)
    rows = [_imported(services, base.id, nodes, edges) for nodes, edges in graphs]
    of_graphs = {path for graph in graphs for path in graph}
    taken = [_taken(services, options, base.id, path, password) for path in paths if path not in of_graphs]
    with services.ingestion.running():
        ended = list(until_ended(services, [document for document in taken if isinstance(document, Document)]))
        _until_vectors(services, base)
    rows = [*map(_row, ended), *rows, *(row for row in taken if not isinstance(row, Document))]
    if options.json:
        say_json({"base": base.name, "documents": rows})
    else:
        for row in rows:
            say("  ".join(_cell(name, value) for name, value in row.items() if value not in ("", 0)))
    return 0 if rows and all(row["status"] == "ready" for row in rows) else 1


def _taken(
    services: Services, options: Namespace, base_id: str, path: Path, password: str
) -> Document | dict[str, object]:
    """The document, or a row with the reason why there is none."""
    try:
        taken = _take(services, options, base_id, path, password)
    except (AppError, OSError) as error:
        return _refused(path, error)
    if isinstance(taken, Document):
        if taken.name != path.name:
            note(text("cli.same_content", "en", name=path, known=taken.name))
        return taken
    note(f"{path}: {taken}")
    return {"document": path.name, "status": "waiting", "error": taken}


def _take(services: Services, options: Namespace, base_id: str, path: Path, password: str) -> Document | str:
    """The document, or the question that an option has to answer first; nothing is stored then.

    With a password: encrypted PDFs as copies without it, every other file as it is.
    """
    unlocking = services.lifecycle.unlocking
    if password and unlocking.is_locked(path):
        with unlocking.unlocked(path, path.name, password) as copy:
            return _take_readable(services, options, base_id, copy, path.name)
    return _take_readable(services, options, base_id, path, path.name)


def _take_readable(services: Services, options: Namespace, base_id: str, path: Path, name: str) -> Document | str:
    uploads = services.lifecycle.uploads
    earlier = None if options.keep_both else uploads.earlier(base_id, name, path)
    if earlier and not options.replace:
        return text("ingest.changed", "en", name=earlier.name)
    known = uploads.is_known(base_id, path)
    effort = None if known else uploads.cost(path, name, options.parser)
    if effort and not options.yes:
        return text("ingest.costs", "en", effort=_in_words(services, effort))
    replaced = earlier.id if earlier else ""
    return uploads.take(base_id, name, path, replaced, options.parser, effort).document


def _in_words(services: Services, effort: Effort) -> str:
    cost = _cost(effort, services.llm.engine, load_prices(services.settings))
    calls = text("documents.effort.calls", "en", count=f"{effort.model_calls:,}")
    words = [calls, text("documents.effort.tokens", "en", count=f"{effort.tokens:,}"), *([cost] if cost else [])]
    return ", ".join([*words, f"{effort.seconds:,.0f} s"])


def _files(paths: Iterable[str]) -> Iterator[Path]:
    """The files except edits, which an export writes with the files of a graph."""
    for path in files_below(paths):
        if path.name.casefold() == EDITS:
            note(f"{path}: left out. Edits are brought in on the Graph page, under Changes.")
        else:
            yield path


def _graphs(paths: Iterable[Path]) -> list[tuple[Path, Path | None]]:
    """Pairs of the node file and the edge file of each folder; None in place of a missing file."""
    found: dict[Path, dict[str, list[Path]]] = {}
    for path in paths:
        if kind := _graph_file(path):
            found.setdefault(path.parent, {NODES: [], EDGES: []})[kind].append(path)
    pairs: list[tuple[Path, Path | None]] = []
    for kinds in found.values():
        both = list(zip(kinds[NODES], kinds[EDGES], strict=False))
        pairs += both
        pairs += [(path, None) for each in kinds.values() for path in each[len(both) :]]
    return pairs


def _graph_file(path: Path) -> str:
    """The kind of graph file; empty for other and unreadable files, which the intake reports."""
    try:
        with path.open("rb") as file:
            return graph_file(path.name, file.read(HEAD_BYTES))
    except OSError:
        return ""


def _imported(services: Services, base_id: str, nodes: Path, edges: Path | None) -> dict[str, object]:
    try:
        if edges is None:
            raise InputError("documents.upload.graph_half", name=nodes.name, nodes=NODES, edges=EDGES)
        taken = services.lifecycle.graph_import.take(base_id, nodes.read_bytes(), edges.read_bytes())
    except (AppError, OSError) as error:
        return _refused(nodes, error)
    name = f"{nodes.name}, {edges.name}"
    return {"document": name, "status": str(DocumentStatus.READY), "entities": taken.nodes, "error": ""}


def _refused(path: Path, error: Exception) -> dict[str, object]:
    reason = error.strerror if isinstance(error, OSError) else error
    note(f"{path}: {reason}")
    return {"document": path.name, "status": str(DocumentStatus.FAILED), "error": str(reason)}


def _estimate(services: Services, options: Namespace) -> int:
    """Estimates the effort of reading the files; stores nothing."""
    forecaster, engine = services.ingestion.engines.forecaster(), services.llm.engine
    prices = load_prices(services.settings)
    rows: list[dict[str, object]] = []
    refused: list[dict[str, object]] = []
    for path in _files(options.paths):
        if _graph_file(path):
            continue
        try:
            effort = forecaster.of_file(path, path.name, options.parser)
        except (AppError, OSError) as error:
            refused.append(_refused(path, error))
            continue
        row = {name: round(getattr(effort, name)) for name in _ESTIMATED} | {"cost": _cost(effort, engine, prices)}
        rows.append({"document": path.name} | row)
    if options.json:
        say_json({"documents": rows + refused})
    elif rows:
        table(("document", *_ESTIMATED, "cost"), [tuple(row.values()) for row in rows])
    return 0 if rows and not refused else 1


def _cost(effort: Effort, engine: str, prices: Sequence[Price]) -> str:
    """Empty if no model is used, or its price is unknown."""
    usage = Usage(effort.model_calls, effort.prompt_tokens, effort.completion_tokens)
    cost = cost_of(usage, engine, prices) if effort.model_calls else None
    return f"{cost.amount:.4f} {cost.currency}" if cost else ""


class _Watchdog:
    """Raises an error if documents cannot be read for too long."""

    def __init__(self, services: Services) -> None:
        self._ingestion = services.ingestion
        self._began = self._worked = time.monotonic()

    def check(self) -> None:
        """Raises AppError for a fault that lasts too long, or a process that does not start."""
        now, fault = time.monotonic(), self._ingestion.fault
        if fault is None:
            self._worked = now
        elif now - self._worked > _FAULT_SECONDS:
            raise fault
        if not self._ingestion.has_started and now - self._began > _START_SECONDS:
            raise ServiceError("ingest.error.process_silent", minutes=_START_MINUTES)


def _is_busy(document: Document) -> bool:
    return document.status not in _ENDED


def until_ended(
    services: Services, documents: Iterable[Document], is_busy: Callable[[Document], bool] = _is_busy
) -> Iterator[Document]:
    """Yields each document when it is no longer busy. Raises AppError if documents cannot be read."""
    watchdog = _Watchdog(services)
    for document in documents:
        shown = ""
        while is_busy(current := services.library.documents.get(document.id)):
            watchdog.check()
            shown = _report(services, current, shown)
            time.sleep(_POLL_SECONDS)
        yield current


def _until_vectors(services: Services, base: KnowledgeBase) -> None:
    """Waits for the vectors of all levels; if they make no progress, they follow at the next start of the app."""
    shown, since = -1, time.monotonic()
    while not (made := services.search.chunk_index.progress(base.id)).is_complete:
        if made.done != shown:
            note(text("ingest.vectors", "en", done=made.done, total=made.total))
            shown, since = made.done, time.monotonic()
        elif time.monotonic() - since > (_STANDSTILL_SECONDS if services.ingestion.has_started else _START_SECONDS):
            note(text("ingest.vectors_later", "en"))
            return
        time.sleep(_POLL_SECONDS)


def _report(services: Services, document: Document, shown: str) -> str:
    """Reports a stage when it begins; returns the last report."""
    running = [
        progress for progress in services.library.ingest_records.stages(document.id) if progress.status == "running"
    ]
    line = f"{document.name}: {running[-1].stage}" if running else ""
    if line and line != shown:
        note(line)
    return line or shown


def _cell(name: str, value: object) -> str:
    return f"{name}: {value}" if isinstance(value, int) else str(value)


def _row(document: Document) -> dict[str, object]:
    return {
        "document": document.name,
        "status": str(document.status),
        "id": document.id,
        "pages": document.pages,
        "chunks": document.chunks,
        "entities": document.entities,
        "error": error_of(document),
    }
