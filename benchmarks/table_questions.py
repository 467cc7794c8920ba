"""`python -m benchmarks.table_questions [FOLDER]`: is the least or greatest of a table's rows told, and no other row?

FOLDER has the PDFs that table_questions.jsonl names beside the samples (default: the evaluation data). Questions
without a row cannot be answered by comparing rows, or have no one answer. The half "check" is of other documents and
was written before rows were compared; nothing was changed for it.
"""

import json
import sys
from collections import Counter
from pathlib import Path

from benchmarks.__main__ import DATA
from benchmarks.answers import fresh_services
from benchmarks.trial import SURE, ask, load

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SAMPLES = Path(__file__).parents[1] / "assets" / "samples"


def main(folder: Path) -> None:
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    counts: Counter[tuple[str, str, str]] = Counter()
    with fresh_services() as services:
        base_id = load(services, [folder, SAMPLES], {row["document"] for row in rows})
        services.warm()
        for row in rows:
            outcome, text = ask(services, base_id, row["question"])
            first = text.partition("\n")[0]
            kind = (
                "not sure" if outcome not in SURE else "right" if row["row"] and row["row"] in first else "another row"
            )
            counts[row["half"], "one row" if row["row"] else "no row", kind] += 1
            sys.stdout.write(f"{kind:<14}{row['question']}\n    {first[:120]}\n")
    for (half, wanted, kind), count in sorted(counts.items()):
        sys.stdout.write(f"{half}, {wanted}: {kind} {count}\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else DATA)
