"""`bench retrieval|ner|routing`: measures retrieval, entities and routing on the user's data."""

import json
from argparse import Namespace
from collections import Counter
from pathlib import Path

from core.app.services import Services
from core.interfaces.cli.console import say, table
from core.platform.errors import InputError


def retrieval(services: Services, options: Namespace) -> int:
    from core.app.bench.retrieval import run

    result = run(options.folder, services.settings)
    table(("recall@2", "recall@5", "recall@10", "nDCG@10", "MRR", "questions"), [result.row()])
    if options.rankings:
        lines = (json.dumps({"id": id, "ranked": ranked}, ensure_ascii=False) for id, ranked in result.rankings)
        options.rankings.write_text("\n".join(lines) + "\n", encoding="utf-8")
        say(f"Rankings written to {options.rankings}")
    return 0


def ner(services: Services, options: Namespace) -> int:
    from core.app.bench.entities import score

    scores = score(read_rows(options.file), services.ingestion.engines.extractor())
    table(("type", "precision", "recall", "F1", "entities"), scores)
    return 0


def routing(services: Services, options: Namespace) -> int:
    """The built-in router's confusion matrix: rows are labels, columns the routes it chose."""
    from core.agents.nodes.plan.plan import route_of

    rows = [(_field(row, "route", "label"), _field(row, "text", "question")) for row in read_rows(options.file)]
    counts = Counter((label, str(route_of(text, services.models.intents.of(text)))) for label, text in rows)
    labels, routes = sorted({label for label, _ in counts}), sorted({route for _, route in counts})
    table(("label", *routes), [(label, *(counts[label, route] for route in routes)) for label in labels])
    return 0


def _field(row: dict[str, object], *names: str) -> str:
    """The first existing field; raises InputError that names the fields."""
    for name in names:
        if name in row:
            return str(row[name])
    raise InputError("error.field_missing", fields=" / ".join(names))


def read_rows(path: Path) -> list[dict[str, object]]:
    """The objects of a JSON-lines file; raises InputError that names the line."""
    rows: list[dict[str, object]] = []
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else error
        raise InputError("error.file_unreadable", name=path, reason=reason) from error
    for number, line in enumerate(lines, start=1):
        try:
            row = json.loads(line) if line.strip() else None
        except ValueError as error:
            raise InputError("error.line_unreadable", name=path, line=number, reason=error) from error
        if isinstance(row, dict):
            rows.append(row)
    return rows
