"""Calls side by side: bounded, in order, and ended together."""

import threading

import pytest

from core.models.parallel import spread
from core.platform.errors import CancelledError


def test_results_are_in_the_order_of_the_items_and_no_more_than_allowed_run_at_once() -> None:
    running, most, lock = 0, 0, threading.Lock()
    met = threading.Barrier(4, timeout=60)

    def work(item: int) -> int:
        nonlocal running, most
        with lock:
            running += 1
            most = max(most, running)
        met.wait()
        with lock:
            running -= 1
        return item * item

    heard: list[int] = []
    assert spread(work, range(12), 4, lambda done: heard.append(len(done))) == [n * n for n in range(12)]
    assert most == 4
    assert heard == sorted(heard)
    assert heard[-1] == 12


def test_nothing_to_do_is_done() -> None:
    assert spread(lambda item: item, [], 4, lambda done: None) == []


def test_an_error_ends_what_has_not_begun() -> None:
    begun: list[int] = []

    def work(item: int) -> None:
        begun.append(item)
        if item == 0:
            raise ValueError("broken")
        never.wait(0.05)

    never = threading.Event()
    with pytest.raises(ValueError, match="broken"):
        spread(work, range(200), 2, lambda done: None)
    assert len(begun) < 200


def test_who_listens_can_stop_it() -> None:
    def stop(done: object) -> None:
        raise CancelledError("error.cancelled")

    with pytest.raises(CancelledError):
        spread(lambda item: item, range(10), 2, stop)
