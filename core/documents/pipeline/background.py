"""Runs long calculations in a thread so that the waiting stage can report progress and be cancelled."""

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar, overload

Result = TypeVar("Result")
Item = TypeVar("Item")
_LISTEN_SECONDS = 0.3


class _Unwanted(BaseException):
    """Raised in the thread to end the calculation; a BaseException, so that no handler catches it."""


def run_apart(calculate: Callable[[], Result], check: Callable[[], None]) -> Result:
    """Returns the result of a pure calculation, one that holds no resources.

    check: called repeatedly while waiting; its exception ends the calculation and is raised here.
    """
    threads: list[int] = []
    executor = ThreadPoolExecutor(1, "calculation", lambda: threads.append(threading.get_ident()))
    future = executor.submit(calculate)
    try:
        while not future.done():
            wait([future], _LISTEN_SECONDS)
            check()
    finally:
        if not future.done():
            _end(threads[0])
        executor.shutdown(wait=False)
    return future.result()


def _end(thread: int) -> None:
    """Raises the exception in the thread at its next bytecode instruction."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Unwanted))


class Walked(Generic[Item], Sequence[Item]):
    """A sequence that counts its iterations, to show the progress of a calculation that makes several passes."""

    def __init__(self, items: Sequence[Item], times: int) -> None:
        self._items = items
        self._times = times
        self._seen = 0

    @property
    def done(self) -> int:
        """Number of items that count as done, given the total number of passes."""
        return min(len(self._items), self._seen // self._times)

    def __len__(self) -> int:
        return len(self._items)

    @overload
    def __getitem__(self, place: int) -> Item: ...
    @overload
    def __getitem__(self, place: slice) -> Sequence[Item]: ...
    def __getitem__(self, place: int | slice) -> Item | Sequence[Item]:
        self._seen += 1
        return self._items[place]

    def __iter__(self) -> Iterator[Item]:
        for item in self._items:
            self._seen += 1
            yield item
