"""`python -m tests.bench.fit_answers FOLDER`: fits which sentence answers, and how likely it does.

On the tuned halves of the sets of answers.py and the development half of development_questions.jsonl; FOLDER is the
data folder of development.py. Questions are also asked with the passages that answer them left out, which teaches what
no answer looks like better than questions written to be unanswerable. Prints figures and the reliability curve for what
was held out of it.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.embedding.sentence_encoder import UniversalSentenceEncoder
from core.bench.retrieval import Corpus
from core.bootstrap.services import Services
from core.builtin.intent.questions import WHOLE
from core.builtin.quoting.evidence_view import EvidenceView
from core.builtin.quoting.quotable_spans import QuotableSpan, Readings
from core.builtin.quoting.quotes import quoted_of
from core.builtin.quoting.sentence_features import SentenceFeatures
from core.builtin.quoting.sentence_weighing import Weighed, add_meaning, answer_features, candidates_of, compared
from core.domain.passages import Passage
from core.nodes.search.grade_evidence import sift
from core.nodes.search.retrieve import LIMIT, WEAK
from core.settings.settings import Settings
from tests.bench import change_questions
from tests.bench.answers import ACROSS, Answered, Asked, asked_of, fresh_services
from tests.bench.check_trial import shows, shows_all
from tests.bench.development import DEVELOPMENT, HALVES, older_questions, questions

DATA = Path(__file__).parents[3] / "shared" / "data"
WEIGHTS = Path(__file__).parents[2] / "core" / "builtin" / "quoting" / "answering.json"
ENGINES = {"words alone": False, "with encoder": True}
QUESTIONS = 200
"""Of each public set with their passages, at most, and as many whose passages are left out."""
FOLDS = 3
"""Parts in turn left out when sentences are scored for the fit of the probability."""
WEIGHT = 3.0
"""Of a question on the PDFs beside one of a public set: there are few of them, and they are what is meant."""
RIDGE_SENTENCES, RIDGE_ANSWERS = 10.0, 40.0
STEPS = 120
BINS = 5
THRESHOLDS = (0.45, 0.5, 0.55, 0.6, 0.65)
HELD_OUT = ", held out"
LEFT_OUT = ", answers left out"
OLDER = "older"
CHANGES = "changes and levels"
Columns = Mapping[str, Any]


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


Weights = dict[str, float]
Counts = dict[str, list[int]]
"""Answerable and unanswerable questions of each group, those without any passage among them."""


def main(folder: Path) -> None:
    encoder = UniversalSentenceEncoder()
    samples, counts = samples_of(folder)
    fitted: dict[str, dict[str, Weights]] = {"sentences": {}, "answers": {}}
    for engine, used in ENGINES.items():
        if used:
            words = fitted["sentences"]["words alone"]
            for sample in samples:
                places = compared(_scores(words, sample), sample.features.across)
                add_meaning(sample.features, places, encoder)
        fitted["sentences"][engine] = fit_sentences([sample for sample in samples if sample.teaches])
        by_fold = {
            fold: fit_sentences([sample for sample in samples if sample.teaches and sample.fold != fold])
            for fold in range(FOLDS)
        }
        told = [_told(sample, by_fold.get(sample.fold, fitted["sentences"][engine])) for sample in samples]
        fitted["answers"][engine] = fit([pair for pair in told if pair[0].fold >= 0])
        report(engine, _probabilities(told, fitted["answers"][engine]), counts)
    WEIGHTS.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def samples_of(folder: Path) -> tuple[list[Sample], Counts]:
    counts: Counts = defaultdict(lambda: [0, 0])
    samples = []
    for sample, group, answerable in (*_of_public_sets(), *_of_documents(folder), *_of_changes()):
        counts[group][0 if answerable else 1] += 1
        samples += [sample] if sample else []
    return samples, counts


def _of_public_sets() -> Iterator[tuple[Sample | None, str, bool]]:
    for name, asked, rows in asked_of(DATA, QUESTIONS):
        readings: Readings = {}
        with fresh_services() as services:
            corpus = Corpus(services)
            corpus.load(rows)
            services.warm()
            for place, one in enumerate(asked):
                group, fold = (name, place // 2 % FOLDS) if place % 2 == 0 else (f"{name}{HELD_OUT}", -1)
                passages = _found(services, corpus.base_id, one.question)
                truth = _of_asked(one)
                yield _sample(one.question, passages, readings, group, fold, truth), group, bool(one.answers)
                if name in ACROSS and place // 2 % 2:  # of the other sets half are unanswerable
                    left = _without_answers(passages, truth)
                    group += LEFT_OUT
                    yield _sample(one.question, left, readings, group, fold, NO_ANSWER), group, False


def _of_documents(folder: Path) -> Iterator[tuple[Sample | None, str, bool]]:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    readings: Readings = {}
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        for half, rows in ((OLDER, older_questions()), *((half, questions(half)) for half in HALVES)):
            documents = sorted({row["document"] for row in rows})
            for row in rows:
                fold = documents.index(row["document"]) % FOLDS if half in {OLDER, DEVELOPMENT} else -1
                passages = _found(services, base_id, row["question"])
                truth = _of_row(row)
                yield _sample(row["question"], passages, readings, half, fold, truth), half, row["answerable"]
                if row["answerable"]:
                    left, group = _without_answers(passages, truth), half + LEFT_OUT
                    yield _sample(row["question"], left, readings, group, fold, NO_ANSWER), group, False


def _of_changes() -> Iterator[tuple[Sample | None, str, bool]]:
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


def _found(services: Services, base_id: str, question: str) -> list[Passage]:
    hits = [hit for hit in services.search.retriever.chunks(base_id, question, LIMIT) if hit.score >= WEAK]
    by_id = {passage.chunk.id: passage for passage in services.library.passages.get([hit.chunk_id for hit in hits])}
    return [replace(by_id[hit.chunk_id], score=hit.score) for hit in hits if hit.chunk_id in by_id]


def _sample(
    question: str, passages: Sequence[Passage], readings: Readings, group: str, fold: int, truth: _Truth
) -> Sample | None:
    kept, _ = sift(question, passages, readings)
    view = EvidenceView(question, kept, None, readings)
    if not view.units:
        return None
    features = SentenceFeatures(question, view.kind, view.units, kept, view.read, view.needs)
    labels = np.array([truth.unit(unit, kept[unit.passage]) for unit in view.units], dtype=float)
    return Sample(group, fold, truth.answerable, features, labels, truth.quotes)


def _told(sample: Sample, weights: Weights) -> tuple[Sample, Weights, bool]:
    """The sample, the features of what would be quoted of it, and whether that answers."""
    features = sample.features
    found = Weighed(features, _scores(weights, sample))
    quotes = quoted_of(features.question, features.kind, candidates_of(found), list(features.units), features.passages)
    return sample, answer_features(found, quotes), sample.judge([quote.text for quote in quotes])


def _scores(weights: Weights, sample: Sample) -> Any:
    return sum(weights[name] * column for name, column in sample.features.columns.items() if name in weights)


def fit_sentences(samples: Sequence[Sample]) -> Weights:
    """Of a softmax over the sentences of each question, with a ridge."""
    names = sorted({name for sample in samples for name in sample.features.columns})
    longest = max(len(sample.labels) for sample in samples)
    x = np.zeros((len(samples), longest, len(names)))
    y, real = np.zeros((len(samples), longest)), np.zeros((len(samples), longest), dtype=bool)
    for place, sample in enumerate(samples):
        columns = sample.features.columns
        zeros = np.zeros(len(sample.labels))
        x[place, : len(zeros)] = np.stack([columns.get(name, zeros) for name in names], axis=1)
        y[place, : len(zeros)], real[place, : len(zeros)] = sample.labels, True
    mean, spread = x[real].mean(axis=0), _spread(x[real])
    x = (x - mean) / spread * real[:, :, None]
    each = np.array([sample.weight for sample in samples])[:, None]
    weights, first, second = np.zeros(len(names)), np.zeros(len(names)), np.zeros(len(names))
    for step in range(1, STEPS + 1):
        scores = np.where(real, x @ weights, -np.inf)
        given = np.exp(scores - scores.max(axis=1, keepdims=True))
        wanted = given * y
        pull = wanted / wanted.sum(axis=1, keepdims=True) - given / given.sum(axis=1, keepdims=True)
        slope = (RIDGE_SENTENCES * weights - np.tensordot(pull * each, x, 2)) / each.sum()
        first, second = 0.9 * first + 0.1 * slope, 0.999 * second + 0.001 * slope**2
        weights -= 0.1 * first / (1 - 0.9**step) / (np.sqrt(second / (1 - 0.999**step)) + 1e-8)
    return _rounded(names, weights / spread)


def fit(told: Sequence[tuple[Sample, Weights, bool]]) -> Weights:
    """Of a logistic regression with a ridge, by Newton's method."""
    names = sorted({name for _, features, _ in told for name in features})
    x = np.array([[features.get(name, 0.0) for name in names] for _, features, _ in told])
    y = np.array([right for *_, right in told], dtype=float)
    each = np.array([sample.weight for sample, *_ in told])
    mean, spread = x.mean(axis=0), _spread(x)
    x = np.hstack([np.ones((len(x), 1)), (x - mean) / spread])
    weights = np.zeros(x.shape[1])
    penalty = RIDGE_ANSWERS * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (each * (y - p)) - penalty @ weights
        weights += np.linalg.solve(x.T @ (x * (each * p * (1 - p))[:, None]) + penalty, slope)
    of_features = weights[1:] / spread
    return {"constant": round(float(weights[0] - of_features @ mean), 3)} | _rounded(names, of_features)


def _spread(x: Any) -> Any:
    """Standard deviations; 1 for what hardly varies, which would weigh far too much."""
    found = x.std(axis=0)
    return np.where(found < 0.02, 1.0, found)


def _rounded(names: Sequence[str], weights: Any) -> Weights:
    """Without those that weigh nothing."""
    weighed = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
    return {name: weight for name, weight in weighed.items() if weight}


Judged = tuple[Sample, float, bool]
"""With the probability and whether the quotes answer."""


def _probabilities(told: Sequence[tuple[Sample, Weights, bool]], fitted: Weights) -> list[Judged]:
    """Of samples fitted on by what was fitted on the others."""
    by_fold = {fold: fit([pair for pair in told if pair[0].fold not in {fold, -1}]) for fold in range(FOLDS)}
    found = []
    for sample, features, right in told:
        weights = by_fold.get(sample.fold, fitted)
        total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
        found.append((sample, float(1 / (1 + np.exp(-total))), right))
    return found


def report(engine: str, judged: Sequence[Judged], counts: Counts) -> None:
    """By threshold and group, then the reliability curve: where quotes answer with this probability, how often?"""
    groups = list(counts)
    public, public_held = (
        [group for group in groups if _is_public(group) and (HELD_OUT in group) is held] for held in (False, True)
    )
    _say(f"\n{engine}\n\n| questions | threshold | right, % | wrong, % | wrong of unanswerable, % |\n|{'---|' * 5}\n")
    others = [group for group in groups if CHANGES in group or (LEFT_OUT in group and OLDER not in group)]
    parts = {"public, fitted on": public, "public, held out": public_held} | {half: [half] for half in HALVES}
    for name, of in (*parts.items(), *((group, [group]) for group in (*public_held, *others))):
        own = [one for one in judged if one[0].group in of]
        answerable, not_answerable = (sum(counts[group][column] for group in of) for column in (0, 1))
        for threshold in THRESHOLDS:
            sure = [(sample, right) for sample, given, right in own if given >= threshold]
            hit = sum(right for _, right in sure)
            wrong = sum(sample.answerable and not right for sample, right in sure)
            untold = sum(not sample.answerable for sample, _ in sure)
            figures = f"{_share(hit, answerable)} | {_share(wrong, answerable)} | {_share(untold, not_answerable)}"
            _say(f"| {name} ({answerable}, {not_answerable}) | {threshold} | {figures} |\n")
    _say(f"\n| questions | probability | samples | mean probability | share that answers |\n|{'---|' * 5}\n")
    for name, of in parts.items():
        own = [one for one in judged if one[0].group in of]
        for low in range(BINS):
            held = [(given, right) for _, given, right in own if min(int(given * BINS), BINS - 1) == low]
            mean, share = (
                sum(column) / max(1, len(held)) for column in (zip(*held, strict=True) if held else ((), ()))
            )
            _say(f"| {name} | {low / BINS:.1f} to {(low + 1) / BINS:.1f} | {len(held)} | {mean:.2f} | {share:.2f} |\n")


def _is_public(group: str) -> bool:
    return LEFT_OUT not in group and CHANGES not in group and group not in {OLDER, *HALVES}


def _share(part: int, of: int) -> str:
    return f"{100 * part / of:.0f}" if of else ""


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(sys.argv[1]))
