"""`python -m benchmarks.passages FOLDER`: whether the passage with the answer is on the page, without a model.

FOLDER holds the documents of passage_questions.jsonl; benchmarks/README.md says where they come from.
"""

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.answers import fresh_services, read_lines
from benchmarks.check_trial import shows_all
from benchmarks.output import say
from benchmarks.trial import SURE, load
from core.app.services import Services
from core.runs.events import AnswerReady
from core.runs.history.passage_text import with_passages
from core.runs.model import AnswerOutcome, RunRequest

QUESTIONS = Path(__file__).with_name("passage_questions.jsonl")


def main(folder: Path) -> None:
    rows = list(read_lines(QUESTIONS))
    with fresh_services() as services:
        base_id = load(services, [folder], {row["document"] for row in rows if row["document"]})
        services.warm()
        for language in ("en", "zh"):
            _tell(language, [(row, *_asked(services, base_id, row)) for row in rows if row["language"] == language])


def _asked(services: Services, base_id: str, row: dict[str, Any]) -> tuple[str, AnswerReady]:
    run_id = services.worker.start(RunRequest(row["question"], base_id, use_memory=False))
    ready = [event for _, event in services.worker.follow(run_id) if isinstance(event, AnswerReady)]
    return services.runs.get(run_id).outcome, ready[-1] if ready else AnswerReady("", ())


def _tell(language: str, asked: list[tuple[dict[str, Any], str, AnswerReady]]) -> None:
    found: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
    lengths = []
    for row, outcome, ready in asked:
        kinds = list(_kinds(row, outcome, ready))
        found[row["answerable"]].update(kinds)
        if row["answerable"] and "on the page" not in kinds:
            say(f"not on the page, {outcome}: {row['question']}\n")
        if outcome == AnswerOutcome.CLOSEST:
            lengths.append(len(_text(ready)))
    for answerable, counts in found.items():
        told = ", ".join(f"{kind} {number}" for kind, number in sorted(counts.items()))
        whole = sum(row["answerable"] is answerable for row, _, _ in asked)
        say(f"{language}, {'answerable' if answerable else 'unanswerable'}, {whole}: {told}\n")
    say(f"{language}, characters shown at once where nothing surely answers: {median(lengths or [0]):.0f}\n")


def _kinds(row: dict[str, Any], outcome: str, ready: AnswerReady) -> Iterator[str]:
    yield outcome
    if row["answerable"]:
        if shows_all(_text(ready), row):
            yield "on the page"
        folded = " ".join(passage.text for passage in ready.passages if passage.folded)
        if shows_all(f"{_text(ready)}\n{folded}", row):
            yield "on the page or folded"
        if outcome in SURE:
            yield "right" if shows_all(ready.text, row) else "wrong"


def _text(ready: AnswerReady) -> str:
    """What is shown without unfolding."""
    return with_passages(ready.text, [*ready.passages, *filter(None, [ready.stands_in])], ready.citations)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
