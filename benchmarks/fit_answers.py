"""`python -m benchmarks.fit_answers FOLDER`: fits which sentence answers, and how likely it does.

FOLDER holds the documents of unseen_documents.py; the cases are those of answer_samples.py. Every figure is of
documents that had no part in the weights: they are dealt into parts, of which each is judged by what the others teach.
Then chooses from which probability quotes are shown, and prints how often they answer by probability and document.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.__main__ import DATA
from benchmarks.answer_samples import Case, Sample, cases_of, samples_of
from benchmarks.output import say
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.ports import Embedder
from core.models.ranking.cross_encoder import OnnxCrossEncoder
from core.rulebook.assessing.answering import ACROSS_THRESHOLD, CROSS_ENCODER, ENCODER, ENGINES, WORDS
from core.rulebook.assessing.question_terms import question_terms_of
from core.rulebook.assessing.quotes import closest_of, quoted_of
from core.rulebook.assessing.sentence_weighing import (
    RankedSentences,
    add_meaning,
    add_reading,
    answer_features,
    candidates_of,
    compared,
)

WEIGHTS = Path(__file__).parents[1] / "core" / "rulebook" / "assessing" / "answering.json"
PARTS = 5
RIDGE_SENTENCES, RIDGE_ANSWERS = 10.0, 20.0
STEPS = 120
RIGHT = 0.82
"""Of what is called answered on documents held back: 80 % are wanted, and on the half that is never looked at two to
three points less were right than by this fit."""
MOST_HIDDEN = 0.01
"""Of the answerable questions, this share may be told that there is nothing though the closest sentences have it."""
BIN = 0.1
"""Width of what is about as likely."""
LEFT_OUT = 0.4
"""What a question counts whose answer was left out: people ask fewer such questions than others."""
BINS = (0.0, 0.2, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1.0)
SURENESS = (
    "score of the passage",
    "share of the quotes",
    "document of the best passage",
    "first under its heading",
    "first under the question",
    "own rare words beside the best",
    "words with neighbours beside the best",
    "score beside the best",
    "words before",
    "words of the passage",
    "names of the passage",
    "a number is missing",
    "a number is missing in the passage",
    "does not tell",
    "tells no more than a change",
    "defines",
    "denies otherwise",
    "length",
    "line",
    "read",
    "read beside the best",
)
"""What tells on other documents, too, that quotes answer; objections, and what is known across languages, do as well.
With all that ranks sentences, less is right of what is called answered on documents held back."""
Weights = dict[str, float]


def main(folder: Path) -> None:
    fitted = fitted_on(list(cases_of(folder, DATA)), UniversalSentenceEncoder())
    WEIGHTS.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


def fitted_on(cases: Sequence[Case], encoder: Embedder) -> dict[str, Any]:
    samples, cross_encoder = samples_of(cases), OnnxCrossEncoder()
    fitted: dict[str, Any] = {"sentences": {}, "answers": {}}
    for engine in ENGINES:
        if engine == ENCODER:
            words = fitted["sentences"][WORDS]
            for sample in samples:
                add_meaning(sample.features, compared(_scores(words, sample), sample.features.across), encoder)
        if engine == CROSS_ENCODER:
            before = fitted["sentences"][ENCODER]
            for sample in samples:
                add_reading(sample.features, _scores(before, sample), cross_encoder)
        told = told_by_part(samples)
        fitted["sentences"][engine] = fit_sentences([sample for sample in samples if sample.teaches])
        fitted["answers"][engine] = fit(told)
        judged = judged_by_part(told)
        fitted["limits"] = limits(judged)
        report(engine, judged, fitted["limits"]["sure"])
    say(f"\nlimits: {fitted['limits']}\n")
    return fitted


@dataclass(frozen=True, slots=True)
class Told:
    sample: Sample
    features: Weights
    """Of what would be quoted."""
    right: bool
    """The quotes answer."""
    near: bool
    """The closest sentences do."""

    @property
    def weight(self) -> float:
        return self.sample.weight * (LEFT_OUT if self.sample.case.left_out else 1.0)

    @property
    def across(self) -> bool:
        """The quotes are in another language than the question."""
        return bool(self.features["another language"])


def parts_of(samples: Sequence[Sample]) -> dict[str, int]:
    """The part that each document is in."""
    return {name: place % PARTS for place, name in enumerate(sorted({sample.document for sample in samples}))}


def told_by_part(samples: Sequence[Sample]) -> list[Told]:
    """Ranked by what other documents teach; questions about whole documents have rules of their own."""
    parts = parts_of(samples)
    by_part = [
        fit_sentences([one for one in samples if one.teaches and parts[one.document] != part]) for part in range(PARTS)
    ]
    asked = [sample for sample in samples if not sample.features.kind.is_about_whole_documents]
    return [_told(sample, by_part[parts[sample.document]]) for sample in asked]


def _told(sample: Sample, weights: Weights) -> Told:
    features = sample.features
    found = RankedSentences(features, _scores(weights, sample))
    candidates = candidates_of(found)
    quotes = quoted_of(features.question, features.kind, candidates, list(features.units), features.passages)
    closest = closest_of(candidates, features.passages, question_terms_of(features.question).terms)
    right, near = (sample.judge([quote.text for quote in of]) for of in (quotes, closest))
    return Told(sample, answer_features(found, quotes), right, near)


def _tells_of_sureness(name: str) -> bool:
    return name in SURENESS or name.startswith("objection") or name.endswith(("across languages", "another language"))


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


def fit(told: Sequence[Told]) -> Weights:
    """Of a logistic regression with a ridge, by Newton's method."""
    names = sorted({name for one in told for name in one.features if _tells_of_sureness(name)})
    x = np.array([[one.features.get(name, 0.0) for name in names] for one in told])
    y = np.array([one.right for one in told], dtype=float)
    each = np.array([one.weight for one in told])
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
    return np.where(found < 0.005, 1.0, found)


def _rounded(names: Sequence[str], weights: Any) -> Weights:
    """Without those that weigh nothing."""
    weighed = {name: round(float(weight), 3) for name, weight in zip(names, weights, strict=True)}
    return {name: weight for name, weight in weighed.items() if weight}


@dataclass(frozen=True, slots=True)
class Judged:
    told: Told
    probability: float

    def is_sure(self, threshold: float) -> bool:
        return self.probability >= (max(threshold, ACROSS_THRESHOLD) if self.told.across else threshold)


def judged_by_part(told: Sequence[Told]) -> list[Judged]:
    """Each by what other documents teach."""
    parts = parts_of([one.sample for one in told])
    by_part = [fit([one for one in told if parts[one.sample.document] != part]) for part in range(PARTS)]
    return [Judged(one, _probability(one, by_part[parts[one.sample.document]])) for one in told]


def _probability(one: Told, weights: Weights) -> float:
    total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in one.features.items())
    return float(1 / (1 + np.exp(-total)))


def limits(judged: Sequence[Judged]) -> dict[str, float]:
    """From which probability on enough is right, and of what is about as likely, too; below which hardly any is hidden.

    On documents as people have them: the public sets are none, and teach only.
    """
    own = [one for one in judged if not one.told.sample.case.public]
    near = [one.probability for one in own if one.told.near]
    steps = [step / 100 for step in range(1, 100)]
    hidden = [step for step in steps if sum(each < step for each in near) <= MOST_HIDDEN * len(near)]
    sure = min(step for step in steps if share_right(own, step) >= RIGHT)
    certain = min(step for step in steps if step >= sure and share_right(own, step, step + BIN) >= RIGHT)
    return {"sure": sure, "certain": certain, "possible": max(hidden, default=0.0)}


def share_right(judged: Sequence[Judged], threshold: float, below: float = 1.0) -> float:
    sure = [one for one in judged if one.is_sure(threshold) and one.probability < below]
    whole = sum(_count(one) for one in sure)
    return sum(_count(one) for one in sure if one.told.right) / whole if whole else 1.0


def _count(one: Judged) -> float:
    return LEFT_OUT if one.told.sample.case.left_out else 1.0


def report(engine: str, judged: Sequence[Judged], threshold: float) -> None:
    say(f"\n{engine}, at {threshold}\n\n")
    say(f"| document | answerable | right | wrong | unanswerable | wrong |\n|{'---|' * 6}\n")
    own = [one for one in judged if not one.told.sample.case.public]
    names = dict.fromkeys(one.told.sample.document for one in judged)
    for name, of in (
        ("documents", own),
        *((name, [one for one in judged if one.told.sample.document == name]) for name in names),
    ):
        sure = [one for one in of if one.is_sure(threshold)]
        answerable = sum(one.told.sample.answerable for one in of)
        right = sum(one.told.right for one in sure)
        wrong = sum(one.told.sample.answerable for one in sure) - right
        say(f"| {name} | {answerable} | {right} | {wrong} | {len(of) - answerable} | {len(sure) - right - wrong} |\n")
    say(f"\n| probability | documents: questions, mean, right | public sets |\n|{'---|' * 3}\n")
    public = [one for one in judged if one.told.sample.case.public]
    for low, high in pairwise(BINS):
        cells = (_of_bin([one for one in of if low <= one.probability < high]) for of in (own, public))
        say(f"| {low} to {high} | {' | '.join(cells)} |\n")


def _of_bin(judged: Sequence[Judged]) -> str:
    whole = sum(map(_count, judged)) or 1.0
    mean = sum(_count(one) * one.probability for one in judged) / whole
    return f"{len(judged)}, {mean:.2f}, {sum(one.told.right for one in judged) / whole:.2f}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
