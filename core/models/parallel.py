"""Parallel model calls, bounded in number, that end together when one of them is stopped."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Empty, SimpleQueue
from typing import TypeVar

Item = TypeVar("Item")
Result = TypeVar("Result")
TURN_SECONDS = 0.3


def spread(
    work: Callable[[Item], Result], items: Sequence[Item], at_once: int, finished: Callable[[Sequence[Item]], None]
) -> list[Result]:
    """Results in the order of the items. finished: called at intervals with the items that are done.

    An error of it or of the work cancels what has not begun, and is raised when what is under way has ended.
    """
    if not items:
        return []
    with ThreadPoolExecutor(min(at_once, len(items)), thread_name_prefix="model call") as pool:
        places: dict[Future[Result], int] = {pool.submit(work, item): place for place, item in enumerate(items)}
        ended: SimpleQueue[Future[Result]] = SimpleQueue()
        for future in places:
            future.add_done_callback(ended.put)
        done: dict[int, Result] = {}
        try:
            while len(done) < len(items):
                if (last := _next(ended)) is not None:
                    done[places[last]] = last.result()
                finished([items[place] for place in done])
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
        return [done[place] for place in range(len(items))]


def _next(ended: "SimpleQueue[Future[Result]]") -> Future[Result] | None:
    """None if nothing finished for a while."""
    try:
        return ended.get(timeout=TURN_SECONDS)
    except Empty:
        return None
