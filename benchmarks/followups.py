"""`python -m benchmarks.followups FOLDER FILE [HALF]`: what is taken to be asked in a conversation, without a model.

FOLDER is a data folder with one knowledge base: for followups.jsonl of the sample documents, COSTCO_2021_10K.pdf and
zh_tables_standard.pdf, for followups_2.jsonl of the sample documents and the 15 PDFs of `development`.
The half "held back" is read for its figures only. A follow-up that asks for a reason is judged by its answer.
"""

import json
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.output import say
from core.app.services import Services
from core.platform.settings.settings import Settings
from core.runs.events import AnswerReady, NodeFinished
from core.runs.model import AnswerOutcome, RunRequest

DEVELOPMENT = "development"
HALVES = (DEVELOPMENT, "held back")
SEARCH = "retrieve"
"""The node that an answer put in other words does without."""


@dataclass(frozen=True, slots=True)
class Understood:
    as_question: str
    """As it was searched."""
    outcome: str
    answer: str
    choices: tuple[str, ...]
    steps: tuple[str, ...]


def main(folder: Path, file: str, *halves: str) -> None:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    rows = [json.loads(line) for line in Path(__file__).with_name(file).read_text(encoding="utf-8").splitlines()]
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        for half in halves or HALVES:
            counts: Counter[str] = Counter()
            for row in (row for row in rows if row["half"] == half):
                understood = _converse(services, base_id, [*row["turns"], row["question"]])
                kind = kind_of(row, understood)
                counts[kind] += 1
                if half == DEVELOPMENT:
                    shown = " | ".join(understood.choices) or understood.as_question
                    said = f"{shown} [{understood.outcome}: {' '.join(understood.answer.split())[:160]}]"
                    say(f"{kind:<14}{row['id']}: {row['turns'][-1]} / {row['question']}\n    -> {said}\n")
            say(f"{half}: {', '.join(f'{kind} {number}' for kind, number in counts.most_common())}\n")


def _converse(services: Services, base_id: str, questions: list[str]) -> Understood:
    """The last of the questions, after the others in one thread."""
    thread_id = ""
    for question in questions:
        run_id = services.worker.start(RunRequest(question, base_id, thread_id=thread_id, use_memory=False))
        events = [event for _, event in services.worker.follow(run_id)]
        run = services.runs.get(run_id)
        thread_id = run.thread_id
    finished = [event for event in events if isinstance(event, NodeFinished)]
    resolved = [json.loads(event.update).get("resolved_question") for event in finished if event.update]
    ready = [event for event in events if isinstance(event, AnswerReady)]
    as_question = next(filter(None, reversed(resolved)), "") or questions[-1]
    return Understood(
        as_question, run.outcome, run.answer, ready[-1].choices if ready else (), tuple(it.node for it in finished)
    )


def kind_of(row: dict[str, Any], understood: Understood) -> str:
    if row.get("reworked"):
        return "wrong" if SEARCH in understood.steps else "right"
    if understood.outcome == AnswerOutcome.ASKED_BACK:
        return "asked back" if any(_says(choice, row) for choice in understood.choices) else "asked wrongly"
    if row.get("unknown"):
        return "wrong" if understood.outcome == AnswerOutcome.ANSWERED else "right"
    if "answer" in row:
        return _kind_of_answer(row, understood)
    return "right" if _says(understood.as_question, row) else "wrong"


def _kind_of_answer(row: dict[str, Any], understood: Understood) -> str:
    if not all(any(one in understood.answer for one in group) for group in row["answer"]):
        return "wrong"
    return "right" if understood.outcome == AnswerOutcome.ANSWERED else "right as closest"


def _says(text: str, row: dict[str, Any]) -> bool:
    if row.get("same"):
        return bool(text == row["question"])
    text = text.casefold()
    has = all(any(one.casefold() in text for one in group) for group in row["has"])
    return has and not any(one.casefold() in text for one in row.get("lacks", []))


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
