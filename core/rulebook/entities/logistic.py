"""The probability that a fitted logistic model gives to named features."""

import math
from collections.abc import Mapping

_FARTHEST = 30.0


def logistic(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """Features without a weight are ignored."""
    total = sum(weights.get(name, 0.0) * value for name, value in features.items())
    return 1 / (1 + math.exp(-max(-_FARTHEST, min(_FARTHEST, total))))
