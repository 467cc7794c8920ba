"""What a passage is worth to a question: its own cosine and that of its best sentence."""

import numpy as np
import pytest

from core.search.index.passage_vectors import nearest, pack


def unit(*numbers: float) -> np.ndarray:
    return np.asarray(numbers, np.float32) / np.linalg.norm(numbers)


def test_the_cosine_of_a_passage_is_given_or_made_of_its_sentences() -> None:
    first = np.stack([unit(1, 0, 0), unit(0, 1, 0)])
    second = np.stack([unit(0, 0, 1)])
    query = unit(3, 4, 0)
    own = float(unit(1, 1, 0) @ query)
    packed = [pack(first), pack(second)]
    assert nearest(packed, query, [None, None]) == pytest.approx([(own + 0.8) / 2, 0.0], abs=0.01)
    assert nearest(packed, query, [0.5, 0.3]) == pytest.approx([(0.5 + 0.8) / 2, 0.15], abs=0.01)
    assert nearest([], query, []) == []
