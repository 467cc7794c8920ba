"""Long calculations in a thread of their own, so that the stage that waits can report and hear a cancel meanwhile."""

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import Generic, TypeVar, overload

Result = TypeVar("Result")
Item = TypeVar("Item")
_LISTEN_SECONDS = 0.3


class _Unwanted(BaseException):
    """Ends the calculation; not caught by handlers of errors."""


def run_apart(calculate: Callable[[], Result], heard: Callable[[], None]) -> Result:
    """The result of a pure calculation: it opens nothing that would have to be closed.

    heard: called every moment; what it raises is raised here at once, and ends the calculation.
    """
    threads: list[int] = []
    executor = ThreadPoolExecutor(1, "calculation", lambda: threads.append(threading.get_ident()))
    future = executor.submit(calculate)
    try:
        while not future.done():
            wait([future], _LISTEN_SECONDS)
            heard()
    finally:
        if not future.done():
            _end(threads[0])
        executor.shutdown(wait=False)
    return future.result()


def _end(thread: int) -> None:
    """Python's own way to raise an exception in a thread; it comes with the next instruction there."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(_Unwanted))


class Walked(Generic[Item], Sequence[Item]):
    """A sequence that counts how often it is walked: how far a calculation has come that walks it several times."""

    def __init__(self, items: Sequence[Item], times: int) -> None:
        self._items = items
        self._times = times
        self._seen = 0

    @property
    def done(self) -> int:
        """Of the items, when it has been walked so many times."""
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
