"""How likely quotes answer a question: a logistic regression over named features.

The weights in answering.json come from tests/bench/fit_answers.py.
"""

import json
import math
from collections.abc import Mapping
from pathlib import Path

WEIGHTS: Mapping[str, Mapping[str, float]] = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
SURE = 0.62
"""The probability from which quotes are shown as an answer: below it more than a tenth of the questions held out in
tests/bench/fit_answers.py got a wrong one."""
POSSIBLE = 0.1
"""The probability from which quotes are shown as what comes closest. Low on purpose, not fitted: below it the reader is
told that the documents do not answer, which claims more than showing a passage in vain."""
NEAR = 0.3
"""What of the question's words, or how much of its meaning in another language, the closest passages must have."""
CERTAIN = 0.95


def probability(features: Mapping[str, float], encoder: bool) -> float:
    weights = WEIGHTS["with encoder" if encoder else "words alone"]
    total = weights["constant"] + sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-total))
