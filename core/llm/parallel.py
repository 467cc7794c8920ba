"""Calls of a model side by side, a bounded number at a time, that end together when one of them is stopped."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
TURN_SECONDS = 0.3


def spread(
    work: Callable[[Item], Result], items: Sequence[Item], at_once: int, finished: Callable[[Sequence[Item]], None]
) -> list[Result]:
    """Results in the order of the items. finished is called with the items that are done, after each and now and then.

    What it or the work raises ends everything: what has not begun never begins, and the error is raised when what is
    under way has come to its end.
    """
    if not items:
        return []
    with ThreadPoolExecutor(min(at_once, len(items)), thread_name_prefix="model call") as pool:
        futures = [pool.submit(work, item) for item in items]
        waiting = set(futures)
        try:
            while waiting:
                done, waiting = wait(waiting, TURN_SECONDS, FIRST_COMPLETED)
                for future in done:
                    future.result()
                finished([item for item, future in zip(items, futures, strict=True) if future.done()])
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
        return [future.result() for future in futures]
