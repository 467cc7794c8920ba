"""A process that sleeps between two statements of a transaction, while another one does something."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from threading import Event, get_ident

from sqlalchemy import Engine, event

LONG_ENOUGH = 0.3
"""Seconds in which `meanwhile` ends, unless it has to wait."""


def interleaved(engine: Engine, late: Callable[[], object], word: str, meanwhile: Callable[[], object]) -> None:
    """Begins `meanwhile` when `late` has sent a statement with the word, and lets both end.

    On SQLite `meanwhile` waits for the whole database, on Postgres for what is locked.
    """
    asleep, awake, sleeper = Event(), Event(), list[int]()

    def begin() -> None:
        sleeper.append(get_ident())
        late()

    def sleep(_connection: object, _cursor: object, statement: str, *_: object) -> None:
        if [get_ident()] == sleeper and word in statement and not asleep.is_set():
            asleep.set()
            awake.wait(10)

    event.listen(engine, "after_cursor_execute", sleep)
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(begin)
        assert asleep.wait(10), f"no statement has the word {word}"
        second = pool.submit(meanwhile)
        wait([second], LONG_ENOUGH)
        awake.set()
        first.result(10)
        second.result(10)
    event.remove(engine, "after_cursor_execute", sleep)
