"""`bench retrieval|ner|routing`: measures retrieval, entities and routing on the user's data."""

import json
from argparse import Namespace
from collections import Counter

from core.app.services import Services
from core.interfaces.cli.console import say, table
from core.platform.errors import InputError


def retrieval(services: Services, options: Namespace) -> int:
    from core.app.bench.retrieval import run

    result = run(options.folder, services.settings)
    table(("recall@2", "recall@5", "recall@10", "nDCG@10", "MRR", "questions"), [result.row()])
    if options.rankings:
        lines = (json.dumps({"id": id, "ranked": ranked}, ensure_ascii=False) for id, ranked in result.rankings)
        try:
            options.rankings.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
        except OSError as error:
            raise InputError("error.folder_unwritable", name=options.rankings, reason=error.strerror) from error
        say(f"Rankings written to {options.rankings}")
    return 0


def ner(services: Services, options: Namespace) -> int:
    from core.app.bench.entities import score
    from core.app.bench.retrieval import read_rows

    scores = score(read_rows(options.file), services.ingestion.engines.extractor())
    table(("type", "precision", "recall", "F1", "entities"), scores)
    return 0


def routing(services: Services, options: Namespace) -> int:
    """The built-in router's confusion matrix: rows are labels, columns the routes it chose."""
    from core.agents.nodes.plan.plan import route_of
    from core.app.bench.retrieval import read_rows

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
