"""`python -m benchmarks.fit_answers FOLDER`: fits which sentence answers, and how likely it does.

On the tuned halves of the sets of answer_samples.py; FOLDER is the data folder of development.py. Then chooses from
which probability quotes are shown, as an answer or as what comes closest. Prints figures and the reliability curve for
what was held out of it.
"""

import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.answer_samples import (
    BOTH,
    CHANGES,
    FOLDS,
    HELD_OUT,
    LEFT_OUT,
    OLDER,
    SAMPLES,
    STRANGE,
    Counts,
    Sample,
    samples_of,
)
from benchmarks.development import DEVELOPMENT, HALVES
from benchmarks.output import say
from core.models.embedding.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.assessing.answering import ACROSS_THRESHOLD
from core.rulebook.assessing.question_terms import question_terms_of
from core.rulebook.assessing.quotes import closest_of, quoted_of
from core.rulebook.assessing.sentence_weighing import (
    RankedSentences,
    add_meaning,
    answer_features,
    candidates_of,
    compared,
)

WEIGHTS = Path(__file__).parents[1] / "core" / "rulebook" / "assessing" / "answering.json"
ENGINES = {"words alone": False, "with encoder": True}
RIDGE_SENTENCES, RIDGE_ANSWERS = 10.0, 40.0
STEPS = 120
BINS = 5
MOST_WRONG = 0.1
"""Of our own questions that have an answer, and of those that have none, this share may get a wrong one as sure."""
MOST_HIDDEN = 0.01
"""Of those that have one, this share may be told that there is none though the closest sentences have it."""
THRESHOLDS = (0.45, 0.5, 0.55, 0.6, 0.65)
Weights = dict[str, float]


def main(folder: Path) -> None:
    encoder = UniversalSentenceEncoder()
    samples, counts = samples_of(folder)
    fitted: dict[str, Any] = {"sentences": {}, "answers": {}}
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
        fitted["answers"][engine] = fit([one for one in told if one.sample.fold >= 0])
        judged = _probabilities(told, fitted["answers"][engine])
        fitted["limits"] = limits(judged, counts)
        report(engine, judged, counts)
    say(f"\nlimits: {fitted['limits']}\n")
    WEIGHTS.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")


@dataclass(frozen=True, slots=True)
class Told:
    sample: Sample
    features: Weights
    """Of what would be quoted."""
    right: bool
    """The quotes answer."""
    near: bool
    """The closest sentences do."""


def _told(sample: Sample, weights: Weights) -> Told:
    features = sample.features
    found = RankedSentences(features, _scores(weights, sample))
    candidates = candidates_of(found)
    quotes = quoted_of(features.question, features.kind, candidates, list(features.units), features.passages)
    closest = closest_of(candidates, features.passages, question_terms_of(features.question).terms)
    right, near = (sample.judge([quote.text for quote in of]) for of in (quotes, closest))
    return Told(sample, answer_features(found, quotes), right, near)


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
    names = sorted({name for one in told for name in one.features})
    x = np.array([[one.features.get(name, 0.0) for name in names] for one in told])
    y = np.array([one.right for one in told], dtype=float)
    each = np.array([one.sample.weight for one in told])
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

    @property
    def sample(self) -> Sample:
        return self.told.sample

    @property
    def right(self) -> bool:
        return self.told.right

    @property
    def across(self) -> bool:
        """The quotes are in another language than the question."""
        return bool(self.told.features["another language"])

    def is_sure(self, threshold: float) -> bool:
        return self.probability >= (max(threshold, ACROSS_THRESHOLD) if self.across else threshold)


def _probabilities(told: Sequence[Told], fitted: Weights) -> list[Judged]:
    """Of samples fitted on by what was fitted on the others."""
    by_fold = {fold: fit([one for one in told if one.sample.fold not in {fold, -1}]) for fold in range(FOLDS)}
    found = []
    for one in told:
        weights = by_fold.get(one.sample.fold, fitted)
        total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in one.features.items())
        found.append(Judged(one, float(1 / (1 + np.exp(-total)))))
    return found


def limits(judged: Sequence[Judged], counts: Counts) -> dict[str, float]:
    """The lowest probability of an answer with few wrong ones, and the highest of a closest one with few hidden.

    On the questions on PDFs that the weights were fitted on, each by the weights of the other documents.
    """
    asked, left_out = {OLDER, DEVELOPMENT}, {OLDER + LEFT_OUT, DEVELOPMENT + LEFT_OUT}
    own = [one for one in judged if one.sample.group in asked | left_out]
    answerable = sum(counts[group][0] for group in asked)
    others = sum(counts[group][1] for group in asked | left_out)

    def few_wrong(limit: float) -> bool:
        wrong = [one.sample.answerable for one in own if one.is_sure(limit) and not one.right]
        return sum(wrong) <= MOST_WRONG * answerable and len(wrong) - sum(wrong) <= MOST_WRONG * others

    def few_hidden(limit: float) -> bool:
        return sum(one.told.near and one.probability < limit for one in own) <= MOST_HIDDEN * answerable

    steps = [step / 100 for step in range(1, 100)]
    return {"sure": min(filter(few_wrong, steps)), "possible": max(filter(few_hidden, steps), default=0.0)}


def report(engine: str, judged: Sequence[Judged], counts: Counts) -> None:
    """By threshold and group, then the reliability curve: where quotes answer with this probability, how often?"""
    say(f"\n{engine}\n\n| questions | threshold | right, % | wrong, % | wrong of unanswerable, % |\n|{'---|' * 5}\n")
    public = [group for group in counts if _is_public(group)]
    held = [group for group in public if HELD_OUT in group]
    parts = {
        "public, fitted on": [group for group in public if group not in held],
        "public, held out": held,
        **{half: [half] for half in HALVES},
    }
    others = [group for group in counts if group not in public and group not in {OLDER, OLDER + LEFT_OUT, *HALVES}]
    for name, of in (*parts.items(), *((group, [group]) for group in (*held, *others))):
        own = [one for one in judged if one.sample.group in of]
        answerable, not_answerable = (sum(counts[group][column] for group in of) for column in (0, 1))
        for threshold in THRESHOLDS:
            figures = _figures([one for one in own if one.is_sure(threshold)], answerable, not_answerable)
            say(f"| {name} ({answerable}, {not_answerable}) | {threshold} | {figures} |\n")
    _say_curves(parts, judged)


def _say_curves(parts: Mapping[str, Sequence[str]], judged: Sequence[Judged]) -> None:
    """Where quotes answer with this probability, how often do they?"""
    say(f"\n| questions | probability | samples | mean probability | share that answers |\n|{'---|' * 5}\n")
    for name, of in parts.items():
        own = [one for one in judged if one.sample.group in of]
        _say_curve(name, [one for one in own if not one.across])
        _say_curve(f"{name}, across languages", [one for one in own if one.across])
    ours = {of for half in HALVES for of in (half, half + LEFT_OUT)}
    _say_curve("our own on PDFs, across languages", [one for one in judged if one.across and one.sample.group in ours])


def _figures(sure: Sequence[Judged], answerable: int, not_answerable: int) -> str:
    """Shares of right, wrong and of answers to unanswerable questions, as cells of a table."""
    hit = sum(one.right for one in sure)
    wrong = sum(one.sample.answerable and not one.right for one in sure)
    untold = sum(not one.sample.answerable for one in sure)
    return f"{_share(hit, answerable)} | {_share(wrong, answerable)} | {_share(untold, not_answerable)}"


def _say_curve(name: str, own: Sequence[Judged]) -> None:
    for low in range(BINS):
        held = [one for one in own if min(int(one.probability * BINS), BINS - 1) == low]
        mean, share = (
            sum(column) / max(1, len(held)) for column in ([it.probability for it in held], [it.right for it in held])
        )
        say(f"| {name} | {low / BINS:.1f} to {(low + 1) / BINS:.1f} | {len(held)} | {mean:.2f} | {share:.2f} |\n")


def _is_public(group: str) -> bool:
    """Of the sets that were measured from the beginning."""
    ours = {OLDER, CHANGES, SAMPLES, STRANGE, *HALVES}
    return LEFT_OUT not in group and BOTH not in group and group.removesuffix(HELD_OUT) not in ours


def _share(part: int, of: int) -> str:
    return f"{100 * part / of:.0f}" if of else ""


if __name__ == "__main__":
    main(Path(sys.argv[1]))
