"""How many calls, and what each holds."""

import pytest

from core.documents.extraction.packing import calls_for, shared_out


@pytest.mark.parametrize(
    ("whole", "calls"),
    [
        (1, 1),
        (4_000, 1),
        (4_001, 2),
        (20_000, 7),
        (24_000, 8),
        (47_000, 16),
        (33_000, 11),
        (64_000, 16),
        (64_001, 22),
    ],
)
def test_rounds_are_filled_as_long_as_each_call_is_nearly_full(whole: int, calls: int) -> None:
    assert calls_for(whole, 4_000, 8) == calls


def test_texts_are_shared_out_in_order() -> None:
    assert shared_out([1, 1, 1, 1, 1], 2) == [[0, 1], [2, 3, 4]]
    assert shared_out([5, 1, 1, 1], 2) == [[0], [1, 2, 3]]
    assert shared_out([], 1) == []
