"""`python -m benchmarks.told_statements`: questions about what a person told, among all that was told, without a model.

The statements and questions in told_statements.jsonl, English and Chinese, were written before any was asked; twelve
ask for what no statement tells. The sample library is asked, so that a question may be searched in documents instead.
"""

import re
import sys
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from benchmarks.answers import fresh_services, load_samples, read_lines
from benchmarks.output import say
from core.app.services import Services
from core.memory.keeping import new_memory
from core.memory.model import MemoryKind
from core.runs.model import RunRequest

FILE = Path(__file__).with_suffix(".jsonl")
_TOLD = re.compile(r"\b\d{4}-\d\d-\d\d\b")
"""The day of a statement that is given as the answer."""


def main(*, each: bool) -> None:
    with fresh_services() as services:
        base_id = load_samples(services)
        services.warm()
        found = list(asked(services, base_id))
    say(f"{dict(Counter(outcome for _, outcome, _ in found))}\n")
    for row, outcome, text in found if each else ():
        say(f"{outcome:<9}{row['question']}\n    {' '.join(text.split())[:200]}\n")


def asked(services: Services, base_id: str) -> Iterator[tuple[dict[str, Any], str, str]]:
    """Stores the statements and yields each question with its outcome and answer.

    right and wrong are answers from a statement; what was asked for stands elsewhere in the answer where it is shown.
    """
    rows = read_lines(FILE)
    for row in rows:
        if "statement" in row:
            services.memories.save(new_memory(row["statement"], MemoryKind.FACT, 7))
    for row in rows:
        if "question" in row:
            run_id = services.worker.start(RunRequest(row["question"], base_id))
            deque(services.worker.follow(run_id), maxlen=0)
            text = services.runs.get(run_id).answer
            yield row, _outcome(row["words"], text), text


def _outcome(words: str, text: str) -> str:
    first = text.partition("\n")[0]
    has_words = bool(words) and words in text
    if _TOLD.search(first) and "\n" not in text.strip():
        return "right" if has_words else "wrong"
    return "shown" if has_words else "declined"


if __name__ == "__main__":
    main(each="--each" in sys.argv)
