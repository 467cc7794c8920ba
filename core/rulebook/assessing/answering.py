"""How likely sentences answer a question, relative to each other and absolutely: linear models over named features.

The weights and limits in answering.json come from benchmarks/fit_answers.py.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

_FITTED: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
WEIGHTS: Mapping[str, Mapping[str, Mapping[str, float]]] = {of: _FITTED[of] for of in ("sentences", "answers")}
WORDS, ENCODER, CROSS_ENCODER = ENGINES = ("words alone", "with encoder", "with cross-encoder")
"""What gives features, each after those before."""
ANSWER_THRESHOLD: float = _FITTED["limits"]["sure"]
"""Probability from which quotes are shown as an answer; fit_answers.py chooses it by a rule that it states."""
CERTAIN_THRESHOLD: float = _FITTED["limits"]["certain"]
"""Probability from which an answer is given without "probably", chosen like ANSWER_THRESHOLD."""
ACROSS_THRESHOLD = 0.7
"""ANSWER_THRESHOLD for quotes in another language, for which the weights, fitted on public sets, overestimate."""
SUGGEST_THRESHOLD: float = _FITTED["limits"]["possible"]
"""Probability from which quotes are shown as the closest passages, chosen like ANSWER_THRESHOLD."""
MIN_OVERLAP = 0.3
"""Least share of the question's words, or of its meaning in another language, in the closest passages."""
RULE_PROBABILITY = 0.95
"""Probability of quotes that a rule found: the row with the extreme value, the byline, the text under the heading."""
VETO_CAP = 0.5
"""Highest probability of quotes that a veto rejects: below ANSWER_THRESHOLD, whatever the model says."""


def sentence_scores(columns: Mapping[str, Any], engine: str) -> Any:
    """Return the log odds of each sentence relative to the others; its features are columns.

    engine: one of ENGINES, the last that has added features.

    Rounded, so that equals stay equal: processors differ in the last digits of a vector.
    """
    weights = WEIGHTS["sentences"][engine]
    return np.round(sum(weights[name] * column for name, column in columns.items() if name in weights), 4)


def probability(features: Mapping[str, float], engine: str) -> float:
    """Return the probability that quotes answer, capped below RULE_PROBABILITY."""
    weights = WEIGHTS["answers"][engine]
    total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return min(1 / (1 + math.exp(-total)), RULE_PROBABILITY - 0.01)
