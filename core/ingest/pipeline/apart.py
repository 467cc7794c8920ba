"""Long calculations in a thread of their own, so that the stage that waits can report and hear a cancel meanwhile."""

import ctypes
import threading
from collections.abc import Callable, Iterator, Sequence
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
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(calculate())
        except _Unwanted:
            pass
        except BaseException as error:  # noqa: BLE001  # it is raised where the result is waited for
            errors.append(error)

    thread = threading.Thread(target=run, name="calculation", daemon=True)
    thread.start()
    try:
        while thread.is_alive():
            thread.join(_LISTEN_SECONDS)
            heard()
    except BaseException:
        _end(thread)
        raise
    if errors:
        raise errors[0]
    return results[0]


def _end(thread: threading.Thread) -> None:
    """Python's own way to raise an exception in a thread; it comes with the next instruction there."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(_Unwanted))


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
