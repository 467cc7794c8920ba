"""A calculation is given up as soon as nobody wants its result, and it stops using the processor."""

import threading
import time
from collections.abc import Iterator

import pytest

from core.documents.pipeline.background import Walked, run_apart
from core.platform.errors import CancelledError, InputError


def _endless(turns: list[int]) -> int:
    while True:
        turns[0] += 1


def test_the_result_and_the_error_of_a_calculation_come_to_who_waits() -> None:
    assert run_apart(lambda: 7, lambda: None) == 7

    def fail() -> int:
        raise InputError("ingest.error.empty", name="a")

    with pytest.raises(InputError):
        run_apart(fail, lambda: None)


def test_a_cancel_ends_the_wait_and_the_calculation() -> None:
    turns, calls = [0], [0]

    def heard() -> None:
        calls[0] += 1
        if calls[0] == 2:
            raise CancelledError("error.cancelled")

    with pytest.raises(CancelledError):
        run_apart(lambda: _endless(turns), heard)
    deadline = time.monotonic() + 30
    while any(thread.name.startswith("calculation") for thread in threading.enumerate()):
        assert time.monotonic() < deadline, "it goes on"
        time.sleep(0.01)
    assert turns[0]


def test_walking_is_counted_over_all_rounds() -> None:
    walked = Walked(["a", "b", "c", "d"], times=2)

    def rounds() -> Iterator[int]:
        for _ in range(2):
            for _ in walked:
                yield walked.done

    assert list(rounds()) == [0, 1, 1, 2, 2, 3, 3, 4]
    assert (walked[0], list(walked[1:3]), len(walked)) == ("a", ["b", "c"], 4)
