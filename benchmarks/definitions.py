"""`python -m benchmarks.definitions`: "What is X?" of titles of the public sets, with and without the passage on X.

X is the title of a passage (in Chinese, the name that it begins with) that other passages speak of. Right is a quote of
the beginning of the passage on X; without that passage every sure answer is wrong, unless another one defines X too.
"""

import random
import re
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.__main__ import DATA
from benchmarks.answer_samples import found_passages
from benchmarks.answers import fresh_services
from core.agents.nodes.search.grade_evidence import sift
from core.app.bench.retrieval import Corpus, RetrievalRow, read_corpus
from core.app.services import Services
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.evidence import EvidenceAssessment, Readings
from core.rulebook.model import QuestionKind
from core.search.model import Passage

SETS = {"2wiki_dev100": "What is {}?", "hotpotqa_dev300": "What is {}?", "cmrc2018_zh400": "什么是{}？"}
ROWS, ASKED = 1300, 70
BEGINNING = 120
"""Characters."""
_DEFINED = re.compile(r" (?:is|was|are|were) (?:an?|the|one)\b")
_ZH_DEFINED = re.compile(r"《?([\u4e00-\u9fff]{3,8})》?(?:（|，|是)")


def main(data: Path) -> None:
    for name, form in SETS.items():
        rows = read_corpus(data / "retrieval" / name)[:ROWS]
        asked = [(thing, row) for thing, row in _things(rows) if _is_spoken_of(thing, row, rows)]
        random.Random(11).shuffle(asked)
        with fresh_services() as services:
            corpus = Corpus(services)
            corpus.load(rows)
            services.warm()
            counts: Counter[str] = Counter()
            for thing, row in asked[:ASKED]:
                own = {chunk_id for chunk_id, row_id in corpus.rows.items() if row_id == row.id}
                passages = found_passages(services, corpus.base_id, form.format(thing))
                counts.update(_outcomes(services, form.format(thing), passages, own))
        sys.stdout.write(f"{name}: {', '.join(f'{key} {count}' for key, count in sorted(counts.items()))}\n")


def _things(rows: Sequence[RetrievalRow]) -> Iterator[tuple[str, RetrievalRow]]:
    for row in rows:
        if row.title and _DEFINED.search(row.text[:200]):
            yield re.sub(r" \(.*\)$", "", row.title), row
        elif found := _ZH_DEFINED.match(row.text):
            yield found[1], row


def _is_spoken_of(thing: str, row: RetrievalRow, rows: Sequence[RetrievalRow]) -> bool:
    return 2 < len(thing) < 40 and any(thing in other.text for other in rows if other.id != row.id)


def _outcomes(services: Services, question: str, passages: Sequence[Passage], own: set[str]) -> Iterator[str]:
    for of, given in (("with", passages), ("left out", [it for it in passages if it.chunk.id not in own])):
        readings: Readings = {}
        kept, _ = sift(question, given, readings)
        view = EvidenceAssessment(
            question, kept, services.models.encoder, readings, cross_encoder=services.models.cross_encoder
        )
        if view.kind is not QuestionKind.DEFINITION:
            continue
        yield f"{of}, asked"
        if view.probability >= ANSWER_THRESHOLD:
            begins = any(kept[it.passage].chunk.id in own and it.start < BEGINNING for it in view.quotes)
            yield f"{of}, sure and {'right' if begins else 'wrong'}"


if __name__ == "__main__":
    main(DATA)
