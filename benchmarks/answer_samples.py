"""The questions that fit_answers.py learns from and is measured on, with the passages that are found for them.

Each belongs to a document, or to a public set that counts as one: what was learnt is checked on documents that had no
part in it. Questions are asked again with the passages that answer them left out, and questions of one set of another
set's documents: that teaches what no answer looks like better than questions written to be unanswerable.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import change_questions, unseen_documents
from benchmarks.answers import ACROSS, asked_of, fresh_services, load_samples, of_samples, read_lines
from benchmarks.check_trial import normalised, shows, shows_all
from benchmarks.development import DEVELOPMENT, older_questions, questions
from benchmarks.trial import load
from core.agents.nodes.search.grade_evidence import sift
from core.agents.nodes.search.retrieve import LIMIT, WEAK
from core.app.bench.retrieval import Corpus
from core.app.services import Services
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.evidence import EvidenceAssessment, QuotableSpan, Readings
from core.search.model import Passage

PUBLIC = 200
"""Questions of each public set with their passages, at most, and as many whose passages are left out; every second one
is asked, the others were held out from the beginning."""
MOST_WEIGHT, WEIGHT_OF_DOCUMENT = 3.0, 45.0
"""Of a question, and of all questions of a document: many questions on one document are no more than one document."""
STRANGE_SETS = ("answers/squad2_dev600", "retrieval/cmrc2018_zh400")
STRANGE_STEP = 15
"""Every so many questions of these sets are asked of documents that have nothing to do with them."""
STRANGE = "of other documents"


@dataclass(frozen=True, slots=True)
class Case:
    question: str
    passages: tuple[Passage, ...]
    document: str
    """Or the public set."""
    row: dict[str, Any]
    """With the answers, and the document where it is one of several."""
    left_out: bool = False
    """The passages that answer."""
    public: bool = False


@dataclass(slots=True)
class Sample:
    """A question with what its passages offer."""

    case: Case
    features: SentenceFeatures
    labels: Any
    """Of each unit whether it answers."""
    weight: float = 1.0

    @property
    def document(self) -> str:
        return self.case.document

    @property
    def answerable(self) -> bool:
        return bool(self.case.row["answers"]) and not self.case.left_out

    @property
    def teaches(self) -> bool:
        return bool(self.labels.any()) and not self.features.kind.is_about_whole_documents

    def judge(self, quotes: Sequence[str]) -> bool:
        """Whether they answer."""
        return self.answerable and shows_all(" ".join(quotes), self.case.row)


def cases_of(folder: Path, data: Path) -> Iterator[Case]:
    """folder: of the public documents that unseen_documents.py names; data: of the evaluation sets."""
    yield from _of_public_sets(data)
    for documents, rows in (
        ([folder], unseen_documents.questions(unseen_documents.DEVELOPMENT)),
        ([data], _questions_on_pdfs()),
    ):
        with fresh_services() as services:
            base_id = load(services, documents, {row["document"] for row in rows})
            services.warm()
            for row in rows:
                yield from _asked(services, base_id, row["document"], row)
            yield from _strange(data, services, base_id)
    with fresh_services() as services:
        base_id = load_samples(services)
        services.warm()
        for one in of_samples():
            yield from _asked(services, base_id, "samples", {"question": one.question, "answers": list(one.answers)})
        yield from _strange(data, services, base_id)
    for row, passages in change_questions.asked():
        if row["document"] == change_questions.TEACHES:
            yield Case(row["question"], passages, "changes and levels", {"answers": row["answers"]})


def _questions_on_pdfs() -> list[dict[str, Any]]:
    rows = questions(DEVELOPMENT)
    documents = {row["document"] for row in rows}
    return [*rows, *(row for row in older_questions() if row["document"] in documents)]


def _of_public_sets(data: Path) -> Iterator[Case]:
    for name, asked, rows in asked_of(data, PUBLIC):
        with fresh_services() as services:
            corpus = Corpus(services)
            corpus.load(rows)
            services.warm()
            for one in asked[::2]:
                row = {"question": one.question, "answers": list(one.answers)}
                for case in _asked(services, corpus.base_id, name, row):
                    if name in ACROSS or not case.left_out:  # half of the others are unanswerable anyway
                        yield replace(case, public=True)


def _strange(data: Path, services: Services, base_id: str) -> Iterator[Case]:
    """Questions of public sets, of which the documents of this base say nothing."""
    for name in STRANGE_SETS:
        for row in [row for row in read_lines(data / name / "queries.jsonl") if row["answers"]][::STRANGE_STEP]:
            yield from _asked(services, base_id, STRANGE, {"question": row["question"], "answers": []})


def _asked(services: Services, base_id: str, document: str, row: dict[str, Any]) -> Iterator[Case]:
    """The question, and once more without the passages that answer it."""
    passages = found_passages(services, base_id, row["question"])
    yield Case(row["question"], tuple(passages), document, row)
    if row["answers"]:
        left = tuple(passage for passage in passages if not _has_answer(passage.chunk.text, row))
        yield Case(row["question"], left, document, row, left_out=True)


def found_passages(services: Services, base_id: str, question: str) -> list[Passage]:
    hits = [hit for hit in services.search.retriever.chunks(base_id, question, LIMIT) if hit.score >= WEAK]
    by_id = {passage.chunk.id: passage for passage in services.library.passages.get([hit.chunk_id for hit in hits])}
    return [replace(by_id[hit.chunk_id], score=hit.score) for hit in hits if hit.chunk_id in by_id]


def samples_of(cases: Sequence[Case], readings: Readings | None = None) -> list[Sample]:
    """Of the questions for which something quotable is found."""
    known: Readings = {} if readings is None else readings
    samples = [sample for case in cases if (sample := _sample(case, known))]
    counts = Counter(sample.document for sample in samples)
    for sample in samples:
        sample.weight = min(MOST_WEIGHT, WEIGHT_OF_DOCUMENT / counts[sample.document])
    return samples


def _sample(case: Case, readings: Readings) -> Sample | None:
    kept, _ = sift(case.question, case.passages, readings)
    view = EvidenceAssessment(case.question, kept, None, readings)
    if not view.units:
        return None
    features = SentenceFeatures(case.question, view.kind, view.units, kept, view.read, view.needs)
    told = _tells(case)
    labels = np.array([told(unit, kept[unit.passage]) for unit in view.units], dtype=float)
    return Sample(case, features, labels)


def _tells(case: Case) -> Callable[[QuotableSpan, Passage], bool]:
    """Whether a unit has an answer, or a part of one: that of the gold sentence where it is known."""
    row = case.row
    if case.left_out or not row["answers"]:
        return lambda unit, passage: False

    def told(unit: QuotableSpan, passage: Passage) -> bool:
        own = row.get("document", passage.document_name) == passage.document_name
        if not own or normalised(row.get("sentence", "")) not in normalised(passage.chunk.text):
            return False
        return _has_answer(f"{passage.chunk.text[unit.start : unit.end]} {unit.text}", row)

    return told


def _has_answer(text: str, row: dict[str, Any]) -> bool:
    return any(shows(text, answer) for group in (row["answers"], *row.get("also", [])) for answer in group)
