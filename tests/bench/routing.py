"""The built-in router's confusion matrix, beside the baseline that searches for everything."""

import json
import sys
from collections import Counter
from pathlib import Path

from core.nodes.plan import route_of

SEARCHES = {"chunks", "graph", "hierarchical"}


def main(data: Path) -> None:
    lines = (data / "routing" / "routing_dev.jsonl").read_text(encoding="utf-8").splitlines()
    rows = [json.loads(line) for line in lines if line.strip()]
    counts = Counter((row["route"], str(route_of(row["text"]))) for row in rows)
    routes = sorted({route for _, route in counts})
    sys.stdout.write(f"{'label':<16}{''.join(f'{route:>14}' for route in routes)}\n")
    for label in sorted({label for label, _ in counts}):
        cells = "".join(f"{counts[label, route]:>14}" for route in routes)
        sys.stdout.write(f"{label:<16}{cells}\n")
    is_question = {row["route"]: row["route"] not in ("chitchat", "action_request") for row in rows}
    right = sum(n for (label, route), n in counts.items() if is_question[label] == (route in SEARCHES))
    everything = sum(n for (label, _), n in counts.items() if is_question[label])
    sys.stdout.write(f"searched exactly when there is something to search for: {right / len(rows):.3f}, ")
    sys.stdout.write(f"searching for everything: {everything / len(rows):.3f}\n")
