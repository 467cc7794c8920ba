"""`python -m benchmarks routing`: what is searched, on questions and lines that are no examples of the intents."""

import json
import sys
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

from core.agents.nodes.plan.plan import route_of
from core.app.services import Services
from core.platform.settings.settings import Settings
from core.rulebook.classifiers import Intents

NO_QUESTIONS = ("chitchat", "action_request")
OWN = {
    "ordinary_questions.jsonl": True,
    "near_small_talk.jsonl": True,
    "smalltalk_lines.jsonl": False,
    "courtesies.jsonl": False,
    "courtesies_2.jsonl": False,
}
"""Files beside this one, and whether their lines have to be searched."""


def main(data: Path) -> None:
    with TemporaryDirectory() as folder, Services(Settings().model_copy(update={"data": Path(folder)})) as services:
        rows = _read(data / "routing" / "routing_dev.jsonl")
        _confusion(rows, services.models.intents)
        sys.stdout.write(
            "\n| messages | searched | not searched | a model would be asked | should be |\n|---|---|---|---|---|\n"
        )
        for label in NO_QUESTIONS:
            said = [row["text"] for row in rows if row["route"] == label]
            _counted(f"routing_dev, {label}", said, services.models.intents, "not searched")
        asked = [row["text"] for row in rows if row["route"] not in NO_QUESTIONS]
        _counted("routing_dev, questions", asked, services.models.intents, "searched")
        files = sorted(data.glob("*/*/queries.jsonl"))
        asked = [row["question"] for path in files for row in _read(path)]
        _counted("questions of the public sets", asked, services.models.intents, "searched")
        for name, search in OWN.items():
            said = [row.get("question") or row.get("text") or "" for row in _read(Path(__file__).with_name(name))]
            _counted(name, said, services.models.intents, "searched" if search else "not searched")


def _confusion(rows: list[dict[str, str]], intents: Intents) -> None:
    counts = Counter((row["route"], route_of(row["text"], intents.of(row["text"]))) for row in rows)
    routes = sorted({route for _, route in counts})
    sys.stdout.write(f"{'label':<16}{''.join(f'{route:>14}' for route in routes)}\n")
    for label in sorted({label for label, _ in counts}):
        cells = "".join(f"{counts[label, route]:>14}" for route in routes)
        sys.stdout.write(f"{label:<16}{cells}\n")


def _counted(name: str, messages: list[str], intents: Intents, wanted: str) -> None:
    understood = [intents.of(message) for message in messages]
    searched = sum(one.is_question for one in understood)
    doubtful = sum(one.in_doubt for one in understood)
    sys.stdout.write(f"| {name} | {searched} | {len(messages) - searched} | {doubtful} | {wanted} |\n")


def _read(path: Path) -> list[dict[str, str]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]
