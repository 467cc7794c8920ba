"""`python -m tests.bench.fit_answers`: fits how likely quotes answer, on the tuned halves of the sets of answers.py.

Passages are those that share most rare words with the question, and the labelled one where languages differ: what is
fitted speaks of question and quotes, not of how they were found.
"""

import json
import math
import sys
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from core.adapters.embedding.sentence_encoder import UniversalSentenceEncoder
from core.bench.retrieval import Row
from core.builtin.quoting.answering import probability
from core.builtin.quoting.evidence_view import EvidenceView
from core.domain.documents import Chunk
from core.domain.passages import Passage
from core.language.detect import same_script
from core.language.terms import content_terms
from core.nodes.search.grade_evidence import sift
from core.ports.models import Embedder
from tests.bench.answers import Answered, asked_of

DATA = Path(__file__).parents[3] / "shared" / "data"
WEIGHTS = Path(__file__).parents[2] / "core" / "builtin" / "quoting" / "answering.json"
RIDGE = 1.0
FOUND = 5
"""Passages a question."""
QUESTIONS = 200
"""Of each set with their passages, at most, and as many whose passages are left out."""
Sample = tuple[str, dict[str, float], int]
"""(set, features, whether a quote answers)."""


BINS = 5
Halves = dict[str, list[list[Sample]]]
"""By the engine, with or without the encoder: the samples fitted on, and the others."""


def main() -> None:
    samples = samples_of(DATA)
    fitted = {which: fit(halves[0]) for which, halves in samples.items()}
    WEIGHTS.write_text(json.dumps(fitted, indent=1) + "\n", encoding="utf-8")
    sys.stdout.write("Run it again to read the report of the new weights.\n")
    report(samples)


def samples_of(data: Path) -> Halves:
    encoder = UniversalSentenceEncoder()
    samples: Halves = {"with encoder": [[], []], "words alone": [[], []]}
    for name, asked, rows in asked_of(data, QUESTIONS):
        search = _Search(rows, encoder)
        for place, one in enumerate(asked):
            kept, _ = sift(one.question, search.passages(one.question), {})
            for used in (encoder, None):
                view = EvidenceView(one.question, kept, used)
                if view.quotes:
                    right = Answered(one, tuple(quote.text for quote in view.quotes)).right
                    half = samples["with encoder" if used else "words alone"][place % 2]
                    half.append((name, view.features, int(bool(right))))
    return samples


def report(samples: Halves) -> None:
    """The reliability curve: where quotes answer with this probability, how often do they?"""
    sys.stdout.write("\n| engine | half | probability | samples | mean probability | share that answers |\n")
    sys.stdout.write(f"|{'---|' * 6}\n")
    for which, halves in samples.items():
        for half, part in zip(("tuned on", "held out"), halves, strict=True):
            told = [(probability(features, which == "with encoder"), label) for _, features, label in part]
            for low in range(BINS):
                held = [pair for pair in told if min(int(pair[0] * BINS), BINS - 1) == low]
                mean = sum(given for given, _ in held) / max(1, len(held))
                share = sum(label for _, label in held) / max(1, len(held))
                bounds = f"{low / BINS:.1f} to {(low + 1) / BINS:.1f}"
                sys.stdout.write(f"| {which} | {half} | {bounds} | {len(held)} | {mean:.2f} | {share:.2f} |\n")


class _Search:
    """Passages by words, and by meaning where question and passages are in different scripts."""

    def __init__(self, rows: Sequence[Row], encoder: Embedder) -> None:
        self.rows, self.encoder = rows, encoder
        self.terms = [frozenset(content_terms(f"{row.title} {row.text}")) for row in rows]
        self.having = Counter(term for terms in self.terms for term in terms)

    def passages(self, question: str) -> list[Passage]:
        asked = set(content_terms(question))
        weights = {term: math.log(1 + len(self.rows) / (1 + self.having[term])) for term in asked}
        total = sum(weights.values()) or 1.0
        shares = [sum(weights[term] for term in asked & terms) / total for terms in self.terms]
        if not same_script(question, self.rows[0].text):
            shares = (self._vectors @ np.asarray(self.encoder.embed_query(question))).tolist()
        best = sorted(range(len(self.rows)), key=lambda place: -shares[place])[:FOUND]
        return [self._passage(place, shares[place]) for place in best]

    @cached_property
    def _vectors(self) -> Any:
        return np.asarray(self.encoder.embed([row.text[:400] for row in self.rows]))

    def _passage(self, place: int, score: float) -> Passage:
        row = self.rows[place]
        return Passage(Chunk(row.id, row.id, 0, row.text, (), ()), row.title or row.id, max(0.2, score))


def fit(samples: Sequence[Sample]) -> dict[str, float]:
    """Weights of a logistic regression with a ridge, by Newton's method."""
    names = sorted({name for _, features, _ in samples for name in features})
    x = np.array([[1.0, *(features.get(name, 0.0) for name in names)] for _, features, _ in samples])
    y = np.array([label for *_, label in samples], dtype=float)
    weights = np.zeros(x.shape[1])
    penalty = RIDGE * np.eye(x.shape[1])
    penalty[0, 0] = 0.0
    for _ in range(30):
        p = 1 / (1 + np.exp(-x @ weights))
        slope = x.T @ (y - p) - penalty @ weights
        weights += np.linalg.solve(x.T @ (x * (p * (1 - p))[:, None]) + penalty, slope)
    return {name: round(float(weight), 3) for name, weight in zip(["constant", *names], weights, strict=True)}


if __name__ == "__main__":
    main()
