"""How likely sentences answer a question, beside one another and at all: linear models over named features.

The weights and limits in answering.json come from benchmarks/fit_answers.py.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

_FITTED: Mapping[str, Any] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
WEIGHTS: Mapping[str, Mapping[str, Mapping[str, float]]] = {of: _FITTED[of] for of in ("sentences", "answers")}
SURE: float = _FITTED["limits"]["sure"]
"""The probability from which quotes are shown as an answer; fit_answers.py chooses it by a rule that it states."""
SURE_ACROSS = 0.7
"""The same of quotes in another language than the question: from there on they are as reliable on our own PDFs, where
the weights, taught by public sets for the most part, promise too much."""
POSSIBLE: float = _FITTED["limits"]["possible"]
"""The probability from which quotes are shown as what comes closest, chosen like SURE. Below it the reader is told that
the documents do not answer, which claims more than showing a passage in vain."""
NEAR = 0.3
"""What of the question's words, or how much of its meaning in another language, the closest passages must have."""
CERTAIN = 0.95
UNSURE = 0.5
"""The most that can be told of an increase where a level is asked for, of a byline of another work, of quotes in
another language below SURE_ACROSS; and, by words alone, of quotes in another language or with no word of what is asked
about a name."""


def sentence_scores(columns: Mapping[str, Any], encoder: bool) -> Any:
    """Of each sentence, whose features are columns: log odds beside the other sentences."""
    weights = _weights("sentences", encoder)
    return sum(weights[name] * column for name, column in columns.items() if name in weights)


def probability(features: Mapping[str, float], encoder: bool) -> float:
    """That what is quoted answers."""
    weights = _weights("answers", encoder)
    total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-total))


def _weights(of: str, encoder: bool) -> Mapping[str, float]:
    return WEIGHTS[of]["with encoder" if encoder else "words alone"]
