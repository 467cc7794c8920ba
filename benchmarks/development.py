"""`python -m benchmarks.development FOLDER`: questions on real PDFs in the image of the untouched trial.

FOLDER is a data folder with one knowledge base, into which the documents that development_questions.jsonl names were
ingested; of these, the half "check" was held back by document: it is read for its figures only. The questions of the
half "fresh", on the same documents, were written later and are not fitted on.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.trial import ask, kind_of_answer
from core.app.services import Services
from core.platform.settings.settings import Settings

QUESTIONS = [Path(__file__).with_name(f"development_questions{part}.jsonl") for part in ("", "_2")]
DEVELOPMENT = "development"
OLDER = Path(__file__).with_name("document_questions.jsonl")
HALVES = (DEVELOPMENT, "check")
FRESH = "fresh"


def questions(half: str) -> list[dict[str, Any]]:
    rows = [json.loads(line) for file in QUESTIONS for line in file.read_text(encoding="utf-8").splitlines()]
    return [row for row in rows if row["half"] == half]


def older_questions() -> list[dict[str, Any]]:
    """Those of document_questions.py, on which the engine was worked before: they teach, and prove nothing."""
    rows = map(json.loads, OLDER.read_text(encoding="utf-8").splitlines())
    return [row | {"answerable": bool(row["answers"])} for row in rows]


def main(folder: Path) -> None:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        for half in (*HALVES, FRESH):
            counts: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
            for row in questions(half):
                outcome, text = ask(services, base_id, row["question"])
                kind = kind_of_answer(row, outcome, text)
                counts[row["answerable"]][kind] += 1
                if half == DEVELOPMENT and kind != "right":
                    sys.stdout.write(f"{kind:<18}{row['question']}\n    {' '.join(text.split())[:200]}\n")
            for answerable, counted in counts.items():
                of = sum(counted.values())
                parts = ", ".join(f"{kind} {n} ({100 * n / of:.0f} %)" for kind, n in counted.most_common())
                sys.stdout.write(f"{half}, {of} {'answerable' if answerable else 'unanswerable'}: {parts}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
