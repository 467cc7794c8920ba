"""`python -m benchmarks.overviews FOLDER`: does an overview of a document lead with what the document is about?

FOLDER holds the documents that overview_statements.jsonl names, each of which is asked about in a knowledge base of its
own; those that are not there are left out. A statement is right if a quote has one of the wordings.
"""

import json
import re
import sys
import time
from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from benchmarks.answers import fresh_services
from benchmarks.trial import ask
from core.app.services import Services
from core.documents.model import DocumentStatus

STATEMENTS = Path(__file__).with_name("overview_statements.jsonl")
ASKED = {"en": "What is this document about?", "zh": "这份文件讲的是什么？"}
_QUOTED = re.compile(r"“(.*?)” \[\d+\]", re.DOTALL)


def main(folder: Path) -> None:
    rows = [json.loads(line) for line in STATEMENTS.read_text(encoding="utf-8").splitlines()]
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    with fresh_services() as services:
        bases = _load(services, folder, [row for row in rows if (folder / row["document"]).is_file()])
        services.warm()
        for row, base_id in bases:
            quotes = _QUOTED.findall(ask(services, base_id, ASKED[row["language"]])[1])
            place = next((at for at, quote in enumerate(quotes) if _tells(quote, row["statements"])), None)
            counts[row["set"]].update(
                ["asked", *(["told"] if place is not None else []), *(["first"] if place == 0 else [])]
            )
            sys.stdout.write(f"{row['document']}: {'not told' if place is None else place + 1} of {len(quotes)}\n")
    for of, counted in counts.items():
        sys.stdout.write(f"{of}: {counted['first']} first, {counted['told']} told of {counted['asked']}\n")


def _load(services: Services, folder: Path, rows: list[dict[str, Any]]) -> list[tuple[dict[str, Any], str]]:
    bases = [(row, services.library.bases.create(row["document"]).id) for row in rows]
    for row, base_id in bases:
        services.lifecycle.intake.add(base_id, row["document"], folder / row["document"])
    with services.ingestion.running():
        while any(not _is_ready(services, base_id) for _, base_id in bases):
            time.sleep(0.5)
    return bases


def _is_ready(services: Services, base_id: str) -> bool:
    return all(one.status is DocumentStatus.READY for one in services.library.documents.of_base(base_id))


def _tells(quote: str, statements: list[str]) -> bool:
    return any(_plain(statement) in _plain(quote) for statement in statements)


def _plain(text: str) -> str:
    return "".join(text.split()).casefold()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
