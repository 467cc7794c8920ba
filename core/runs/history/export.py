"""Runs as files: a table of runs as CSV or JSON, and a single run with all its events."""

import csv
import io
import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import Any

from core.platform.plain_text import inert
from core.runs.events import Event
from core.runs.history.prices import Price, cost_of
from core.runs.model import Run
from core.runs.run_lists import RunLine


def runs_csv(lines: Iterable[RunLine], prices: Sequence[Price]) -> str:
    return rows_csv(_row(line, prices) for line in lines)


def runs_json(lines: Iterable[RunLine], prices: Sequence[Price]) -> str:
    return as_json([_row(line, prices) for line in lines])


def run_with_events(run: Run, events: Iterable[Event]) -> str:
    logged = [{"type": type(event).__name__, **asdict(event)} for event in events]
    return as_json({**asdict(run), "started_at": run.started_at.isoformat(), "events": logged})


def rows_csv(rows: Iterable[dict[str, Any]]) -> str:
    """CSV with a header; cells that a spreadsheet would evaluate are made inert."""
    written = io.StringIO()
    writer: csv.DictWriter[str] | None = None
    for row in rows:
        if writer is None:
            writer = csv.DictWriter(written, list(row), lineterminator="\r\n")
            writer.writeheader()
        writer.writerow({name: inert(value) for name, value in row.items()})
    return written.getvalue()


def as_json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1)


def _row(line: RunLine, prices: Sequence[Price]) -> dict[str, Any]:
    cost = cost_of(line.usage, line.engine, prices) if line.usage.model_calls else None
    return {
        "id": line.id,
        "started_at": line.started_at.isoformat(),
        "question": line.question,
        "workflow": line.workflow,
        "engine": line.engine,
        "ending": line.ending,
        "degraded": line.degraded,
        "purpose": line.purpose.value,
        "seconds": round(line.seconds, 3),
        "model_calls": line.usage.model_calls,
        "prompt_tokens": line.usage.prompt_tokens,
        "completion_tokens": line.usage.completion_tokens,
        "tokens_estimated": line.usage.estimated,
        "cost": round(cost.amount, 6) if cost else None,
        "currency": cost.currency if cost else "",
        "thread_id": line.thread_id,
    }
