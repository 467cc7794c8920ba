"""`python -m benchmarks.document_questions FOLDER`: our own questions on PDFs, asked of a folder that keeps them read.

FOLDER is a data folder with one knowledge base, into which the documents that document_questions.jsonl names were
ingested. These questions are for development: the engine was worked on by their failures.
"""

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks.answers import Answered, Asked, asked_by_run
from core.app.services import Services
from core.platform.settings.settings import Settings

QUESTIONS = Path(__file__).with_suffix(".jsonl")


def asked_of_documents() -> list[Asked]:
    rows = map(json.loads, QUESTIONS.read_text(encoding="utf-8").splitlines())
    return [Asked(row["question"], tuple(row["answers"])) for row in rows]


def main(folder: Path) -> None:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        found = [asked_by_run(services, base_id, one) for one in asked_of_documents()]
    for one in found:
        sys.stdout.write(f"| {judged(one)} | {one.asked.question} | {' / '.join(one.quotes)[:160]} |\n")
    sys.stdout.write(f"{summed_up(found)}\n")


def judged(one: Answered) -> str:
    right = "right" if one.right else "wrong"
    if not one.quotes:
        return "declined"
    return f"{right}, sure" if one.sure else f"{right}, closest"


def summed_up(found: Sequence[Answered]) -> str:
    told = [judged(one) for one in found if one.asked.answers]
    untold = [judged(one) for one in found if not one.asked.answers]
    wrong = (*told, *untold).count("wrong, sure")
    refused = len(untold) - untold.count("wrong, sure")
    return (
        f"right, sure {told.count('right, sure')}, right, closest {told.count('right, closest')} of {len(told)};"
        f" wrong, sure {wrong} of {len(found)}; declined or closest {refused} of {len(untold)}"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]))
