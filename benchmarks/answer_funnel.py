"""`python -m benchmarks.answer_funnel FOLDER`: at which step are right answers to the development questions lost?

FOLDER is the data folder of development.py.
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from benchmarks.check_trial import shows, shows_all
from benchmarks.development import HALVES, questions
from core.agents.nodes.search.grade_evidence import sift
from core.agents.nodes.search.retrieve import LIMIT, WEAK
from core.app.services import Services
from core.platform.language.detect import same_script
from core.platform.settings.settings import Settings
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.evidence import EvidenceAssessment, Readings
from core.search.model import Passage

FOUND = 30
"""Passages among which the right one is looked for."""


def main(folder: Path) -> None:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        readings: Readings = {}
        for half in HALVES:
            rows = [row for row in questions(half) if row["answerable"]]
            counts: dict[str, Counter[str]] = {"all": Counter(), "in another language": Counter()}
            for row in rows:
                found = _found(services, base_id, row["question"])
                steps = ["asked", *_steps(row, found, readings, services)]
                foreign = not any(same_script(row["question"], p.chunk.text) for p in found if _right(row, p))
                for group in counts if foreign else ["all"]:
                    counts[group].update(steps)
            for group, counted in counts.items():
                told = ", ".join(f"{step} {number}" for step, number in counted.items())
                sys.stdout.write(f"{half}, {group}: {told}\n")


def _found(services: Services, base_id: str, question: str) -> list[Passage]:
    hits = services.search.retriever.chunks(base_id, question, FOUND)
    by_id = {passage.chunk.id: passage for passage in services.library.passages.get([hit.chunk_id for hit in hits])}
    return [replace(by_id[hit.chunk_id], score=hit.score) for hit in hits if hit.chunk_id in by_id]


def _steps(row: dict[str, Any], found: list[Passage], readings: Readings, services: Services) -> Iterator[str]:
    """The steps after which a right answer is still there."""
    read = [passage for passage in found[:LIMIT] if passage.score >= WEAK]
    kept, _ = sift(row["question"], read, readings)
    for step, passages in ((f"of {FOUND} passages", found), (f"of {LIMIT} read", read), ("kept", kept)):
        if any(_right(row, passage) for passage in passages):
            yield step
    view = EvidenceAssessment(
        row["question"], kept, services.models.encoder, readings, cross_encoder=services.models.cross_encoder
    )
    ranked = [_told(row, kept[one.unit.passage], one.unit.text) for one in view.candidates]
    for step, units in (
        ("as a sentence or row", ranked),
        ("first of them", ranked[:1]),
        ("in the first three", ranked[:3]),
    ):
        if any(units):
            yield step
    quoted = shows_all(_joined([quote.text for quote in view.quotes]), row)
    if quoted:
        yield "quoted"
    if quoted and view.probability >= ANSWER_THRESHOLD:
        yield "surely"
    if (
        view.probability < ANSWER_THRESHOLD
        and view.may_answer
        and shows_all(_joined([one.text for one in view.closest]), row)
    ):
        yield "shown as closest"


def _joined(texts: Sequence[str]) -> str:
    return " ".join(texts)


def _right(row: dict[str, Any], passage: Passage) -> bool:
    return _told(row, passage, passage.chunk.text)


def _told(row: dict[str, Any], passage: Passage, text: str) -> bool:
    """Whether this text of the passage has an answer, or a part of one."""
    answers = [answer for group in (row["answers"], *row.get("also", [])) for answer in group]
    return passage.document_name == row["document"] and any(shows(text, answer) for answer in answers)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
