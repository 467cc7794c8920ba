"""The questions that fit_answers.py learns from and is measured on, with what is found for them.

Of the public sets, our own questions on PDFs, and the sample documents; across languages also in a base that holds
both. Questions are asked again with the passages that answer them left out, and questions of one set of another set's
documents: that teaches what no answer looks like better than questions written to be unanswerable.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import change_questions
from benchmarks.answers import (
    ACROSS,
    Answered,
    Asked,
    asked_of,
    fresh_services,
    load_samples,
    of_samples,
    of_set,
    read_lines,
)
from benchmarks.check_trial import shows, shows_all
from benchmarks.development import DEVELOPMENT, HALVES, older_questions, questions
from core.agents.nodes.search.grade_evidence import sift
from core.agents.nodes.search.retrieve import LIMIT, WEAK
from core.app.bench.retrieval import Corpus, RetrievalRow, read_corpus
from core.app.services import Services
from core.platform.settings.settings import Settings
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import QuotableSpan, Readings
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.understanding.questions import WHOLE
from core.search.model import Passage

DATA = Path(__file__).parents[2] / "shared" / "data"
QUESTIONS = 200
"""Of each public set with their passages, at most, and as many whose passages are left out."""
FOLDS = 3
"""Parts in turn left out when sentences are scored for the fit of the probability."""
WEIGHT = 3.0
"""Of a question on the PDFs beside one of a public set: there are few of them, and they are what is meant."""
STRANGE_SETS = ("answers/squad2_dev600", "retrieval/cmrc2018_zh400", *(f"retrieval/{name}" for name in ACROSS))
STRANGE_STEP = 5
"""Every so many questions of these sets are asked of documents that have nothing to do with them."""
MIXED_ROWS = 420
"""Passages of each language in a base of two."""
HELD_OUT = ", held out"
LEFT_OUT = ", answers left out"
OLDER = "older"
CHANGES = "changes and levels"
SAMPLES = "samples"
STRANGE = "of other documents"
BOTH = ", both languages"
Counts = dict[str, list[int]]
"""Answerable and unanswerable questions of each group, those without any passage among them."""
Found = tuple["Sample | None", str, bool]
"""The sample, its group, and whether the question is answerable."""


@dataclass(slots=True)
class Sample:
    """A question with what its passages offer."""

    group: str
    """The public set, or the half of our own questions."""
    fold: int
    """The fold by document or place; -1 where it was held out."""
    answerable: bool
    features: SentenceFeatures
    labels: Any
    """Of each unit whether it answers."""
    judge: Callable[[Sequence[str]], bool]
    """Whether quotes answer."""

    @property
    def teaches(self) -> bool:
        return self.fold >= 0 and bool(self.labels.any()) and self.features.kind not in WHOLE

    @property
    def weight(self) -> float:
        return WEIGHT if self.group in {OLDER, CHANGES, *HALVES} else 1.0


def samples_of(folder: Path) -> tuple[list[Sample], Counts]:
    counts: Counts = defaultdict(lambda: [0, 0])
    samples = []
    found = (*_of_public_sets(), *_of_both_languages(), *_of_documents(folder), *_of_samples(), *_of_changes())
    for sample, group, answerable in found:
        counts[group][0 if answerable else 1] += 1
        samples += [sample] if sample else []
    return samples, counts


def _of_public_sets() -> Iterator[Found]:
    for name, asked, rows in asked_of(DATA, QUESTIONS):
        readings: Readings = {}
        with fresh_services() as services:
            corpus = Corpus(services)
            corpus.load(rows)
            services.warm()
            for place, one in enumerate(asked):
                passages = found_passages(services, corpus.base_id, one.question)
                # of the sets within one language half are unanswerable
                yield from _asked(one, passages, readings, *_half(name, place), and_left_out=name in ACROSS)


def _of_both_languages() -> Iterator[Found]:
    """Questions across languages in a base with passages of both, without the translation of the one that answers."""
    readings: Readings = {}
    sets = {name: read_corpus(DATA / "retrieval" / name)[:MIXED_ROWS] for name in ACROSS}
    with fresh_services() as services:
        corpus = Corpus(services)
        corpus.load([row for rows in sets.values() for row in rows])
        services.warm()
        translations = _translations(services, *sets.values())
        for name in ACROSS:
            asked, _ = of_set(DATA / "retrieval" / name, QUESTIONS)
            rows = read_lines(DATA / "retrieval" / name / "queries.jsonl")
            for place, (one, row) in enumerate(zip(asked, rows, strict=True)):
                left_out = {translations.get(relevant) for relevant in row["relevant"]}
                found = found_passages(services, corpus.base_id, one.question)
                passages = [passage for passage in found if corpus.rows[passage.chunk.id] not in left_out]
                yield from _asked(one, passages, readings, *_half(f"{name}{BOTH}", place), and_left_out=True)


def _translations(services: Services, rows: Sequence[RetrievalRow], others: Sequence[RetrievalRow]) -> dict[str, str]:
    """Of each id that of the passage in the other language that is nearest in meaning."""
    own, other = (np.asarray(services.models.encoder.embed([row.text for row in of])) for of in (rows, others))
    alike = own @ other.T
    there = {row.id: others[int(at)].id for row, at in zip(rows, alike.argmax(axis=1), strict=True)}
    return there | {row.id: rows[int(at)].id for row, at in zip(others, alike.argmax(axis=0), strict=True)}


def _of_samples() -> Iterator[Found]:
    readings: Readings = {}
    with fresh_services() as services:
        base_id = load_samples(services)
        services.warm()
        for place, one in enumerate(of_samples()):
            passages = found_passages(services, base_id, one.question)
            yield from _asked(one, passages, readings, *_half(SAMPLES, place), and_left_out=True)
        yield from _strange(services, base_id, readings)


def _strange(services: Services, base_id: str, readings: Readings) -> Iterator[Found]:
    """Questions of public sets, of which the documents of this base say nothing."""
    sets = (read_lines(DATA / name / "queries.jsonl") for name in STRANGE_SETS)
    asked = [row["question"] for rows in sets for row in [row for row in rows if row["answers"]][::STRANGE_STEP]]
    for place, question in enumerate(asked):
        passages = found_passages(services, base_id, question)
        yield from _asked(Asked(question, ()), passages, readings, *_half(STRANGE, place), and_left_out=False)


def _asked(
    one: Asked, passages: Sequence[Passage], readings: Readings, group: str, fold: int, *, and_left_out: bool
) -> Iterator[Found]:
    """The question, and once more without the passages that answer it."""
    truth = _of_asked(one)
    yield _sample(one.question, passages, readings, group, fold, truth), group, truth.answerable
    if and_left_out:
        left = _without_answers(passages, truth)
        yield _sample(one.question, left, readings, group + LEFT_OUT, fold, NO_ANSWER), group + LEFT_OUT, False


def _half(name: str, place: int) -> tuple[str, int]:
    """Group and fold of the question at this place: every second one is held out."""
    return (name, place // 2 % FOLDS) if place % 2 == 0 else (f"{name}{HELD_OUT}", -1)


def _of_documents(folder: Path) -> Iterator[Found]:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    readings: Readings = {}
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        for half, rows in ((OLDER, older_questions()), *((half, questions(half)) for half in HALVES)):
            documents = sorted({row["document"] for row in rows})
            for row in rows:
                fold = documents.index(row["document"]) % FOLDS if half in {OLDER, DEVELOPMENT} else -1
                passages = found_passages(services, base_id, row["question"])
                truth = _of_row(row)
                yield _sample(row["question"], passages, readings, half, fold, truth), half, row["answerable"]
                if row["answerable"]:
                    left, group = _without_answers(passages, truth), half + LEFT_OUT
                    yield _sample(row["question"], left, readings, group, fold, NO_ANSWER), group, False
        yield from _strange(services, base_id, readings)


def _of_changes() -> Iterator[Found]:
    """Those on the English report teach, those on the Chinese one are held out."""
    readings: Readings = {}
    for place, (row, passages) in enumerate(change_questions.asked()):
        teaches = row["document"] == change_questions.TEACHES
        group, fold = (CHANGES, place % FOLDS) if teaches else (f"{CHANGES}{HELD_OUT}", -1)
        document = {**row, "document": passages[0].document_name, "answerable": bool(row["answers"])}
        yield (
            _sample(row["question"], passages, readings, group, fold, _of_row(document)),
            group,
            document["answerable"],
        )


@dataclass(frozen=True, slots=True)
class _Truth:
    answerable: bool
    unit: Callable[[QuotableSpan, Passage], bool]
    quotes: Callable[[Sequence[str]], bool]
    passage: Callable[[Passage], bool]
    """Whether it has an answer, or a part of one."""


NO_ANSWER = _Truth(False, lambda unit, passage: False, lambda quotes: False, lambda passage: False)


def _without_answers(passages: Sequence[Passage], truth: _Truth) -> list[Passage]:
    return [passage for passage in passages if not truth.passage(passage)]


def _of_asked(one: Asked) -> _Truth:
    def quotes(texts: Sequence[str]) -> bool:
        return bool(Answered(one, tuple(texts)).right)

    return _Truth(
        bool(one.answers), lambda unit, _: quotes([unit.text]), quotes, lambda passage: quotes([passage.chunk.text])
    )


def _of_row(row: dict[str, Any]) -> _Truth:
    answers = [answer for group in (row["answers"], *row.get("also", [])) for answer in group]

    def unit(span: QuotableSpan, passage: Passage) -> bool:
        return passage.document_name == row["document"] and any(shows(span.text, answer) for answer in answers)

    return _Truth(
        row["answerable"],
        unit,
        lambda texts: row["answerable"] and shows_all(" ".join(texts), row),
        lambda passage: any(shows(passage.chunk.text, answer) for answer in answers),
    )


def found_passages(services: Services, base_id: str, question: str) -> list[Passage]:
    hits = [hit for hit in services.search.retriever.chunks(base_id, question, LIMIT) if hit.score >= WEAK]
    by_id = {passage.chunk.id: passage for passage in services.library.passages.get([hit.chunk_id for hit in hits])}
    return [replace(by_id[hit.chunk_id], score=hit.score) for hit in hits if hit.chunk_id in by_id]


def _sample(
    question: str, passages: Sequence[Passage], readings: Readings, group: str, fold: int, truth: _Truth
) -> Sample | None:
    kept, _ = sift(question, passages, readings)
    view = EvidenceAssessment(question, kept, None, readings)
    if not view.units:
        return None
    features = SentenceFeatures(question, view.kind, view.units, kept, view.read, view.needs)
    labels = np.array([truth.unit(unit, kept[unit.passage]) for unit in view.units], dtype=float)
    return Sample(group, fold, truth.answerable, features, labels, truth.quotes)
