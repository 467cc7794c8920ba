"""Who writes to an index for whom when several threads write at the same time."""

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

import pytest

from core.platform.errors import ServiceError
from core.search.index.batched_writes import JointWrites


class Index:
    """Refuses what is bad, and all that is written together with it."""

    def __init__(self) -> None:
        self.written: list[list[str]] = []
        self.go_on = threading.Event()

    def write(self, items: Sequence[str]) -> None:
        assert self.go_on.wait(30)
        if "bad" in items:
            raise ServiceError("storage.busy")
        self.written.append(sorted(items))


def write_while_the_first_is_under_way(index: Index, items: Sequence[str]) -> list[str]:
    writes = JointWrites[str]()
    with ThreadPoolExecutor(8) as pool:
        found = [pool.submit(writes.write, ["first"], index.write)]
        while not writes._writing.locked() or writes._waiting:
            threading.Event().wait(0.001)
        found += [pool.submit(writes.write, [item], index.write) for item in items]
        while len(writes._waiting) < len(items):
            threading.Event().wait(0.001)
        index.go_on.set()
    return [getattr(each.exception(), "key", "") for each in found]


def test_what_comes_during_a_write_is_written_together_afterwards() -> None:
    index = Index()
    assert write_while_the_first_is_under_way(index, ["a", "b", "c"]) == ["", "", "", ""]
    assert index.written == [["first"], ["a", "b", "c"]]


def test_a_failure_is_that_of_its_own_items_only() -> None:
    index = Index()
    assert write_while_the_first_is_under_way(index, ["a", "bad", "c"]) == ["", "", "storage.busy", ""]
    assert sorted(index.written) == [["a"], ["c"], ["first"]]


def test_a_failure_of_one_alone_is_raised_once() -> None:
    index = Index()
    index.go_on.set()
    with pytest.raises(ServiceError):
        JointWrites[str]().write(["bad"], index.write)
