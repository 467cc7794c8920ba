"""`ingest PATH...`: add files or folders and wait until each has ended; with --dry-run say what they will take."""

import time
from argparse import Namespace
from collections.abc import Iterable, Iterator
from pathlib import Path

from core.bootstrap import Services
from core.commands.bases import base_to_fill
from core.commands.console import note, say, say_json, table
from core.domain.documents import Document, DocumentStatus
from core.domain.runs import Usage
from core.errors import AppError
from core.runs.prices import cost_of, load_prices
from core.texts import text

_ENDED = (DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED, DocumentStatus.PAUSED)
_POLL_SECONDS = 0.2
_ESTIMATED = ("pages", "chunks", "model_calls", "prompt_tokens", "completion_tokens", "seconds")


def run(services: Services, options: Namespace) -> int:
    if options.dry_run:
        return _estimate(services, options)
    base = base_to_fill(services, options.kb)
    added: list[Document] = []
    refused: list[dict[str, str]] = []
    for path in _files(options.paths):
        try:
            added.append(services.intake.add(base.id, path.name, path, parser=options.parser)[0])
        except (AppError, OSError) as error:
            note(f"{path}: {error}")
            refused.append({"document": path.name, "status": "failed", "error": str(error)})
    with services.ingestion():
        ended = list(_until_ended(services, added))
    rows = [_row(document) for document in ended] + refused
    if options.json:
        say_json({"base": base.name, "documents": rows})
    else:
        for row in rows:
            say("  ".join(str(value) for value in row.values() if value != ""))
    return 0 if rows and all(row["status"] == "ready" for row in rows) else 1


def _files(paths: Iterable[str]) -> Iterator[Path]:
    for name in paths:
        path = Path(name)
        yield from sorted(child for child in path.rglob("*") if child.is_file()) if path.is_dir() else [path]


def _estimate(services: Services, options: Namespace) -> int:
    """What reading the files would take; nothing is stored."""
    forecaster, prices, engine = services.forecaster(), load_prices(services.settings.data), services.llm.engine
    rows: list[dict[str, object]] = []
    refused: list[dict[str, object]] = []
    for path in _files(options.paths):
        try:
            effort = forecaster.of_file(path, path.name, options.parser)
        except (AppError, OSError) as error:
            note(f"{path}: {error}")
            refused.append({"document": path.name, "error": str(error)})
            continue
        usage = Usage(effort.model_calls, effort.prompt_tokens, effort.completion_tokens)
        cost = cost_of(usage, engine, prices) if effort.model_calls else None
        row = {name: getattr(effort, name) for name in _ESTIMATED}
        row["cost"] = f"{cost.amount:.4f} {cost.currency}" if cost else ""
        rows.append({"document": path.name} | row)
    if options.json:
        say_json({"documents": rows + refused})
    else:
        table(("document", *_ESTIMATED, "cost"), [tuple(row.values()) for row in rows])
    return 0 if rows and not refused else 1


def _until_ended(services: Services, documents: list[Document]) -> Iterator[Document]:
    for document in documents:
        shown = ""
        current = document
        while (current := services.library.document(document.id)).status not in _ENDED:
            shown = _report(services, current, shown)
            time.sleep(_POLL_SECONDS)
        yield current


def _report(services: Services, document: Document, shown: str) -> str:
    """Say a stage when it begins; returns what was said last."""
    running = [progress for progress in services.library.stages(document.id) if progress.status == "running"]
    line = f"{document.name}: {running[-1].stage}" if running else ""
    if line and line != shown:
        note(line)
    return line or shown


def _row(document: Document) -> dict[str, object]:
    error = text(document.error_key, "en", **dict(document.error_params)) if document.error_key else ""
    if document.status is DocumentStatus.PAUSED and document.estimate:
        error = text("ingest.paused", "en", name=document.name, tokens=f"{document.estimate.tokens:,}")
    return {
        "document": document.name,
        "status": str(document.status),
        "id": document.id,
        "pages": document.pages,
        "chunks": document.chunks,
        "entities": document.entities,
        "error": error,
    }
