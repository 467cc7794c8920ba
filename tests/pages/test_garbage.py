"""Garbage of page runs is collected when nobody waits for a page."""

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from pages.components.shell import garbage


class _Ring:
    """Held by itself alone: only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def collecting(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """Set when a full collection was made, while the automatic ones are off."""
    collected = threading.Event()
    monkeypatch.setattr(garbage, "QUIET_SECONDS", 0.02)

    def watch(phase: str, told: dict[str, int]) -> None:
        if phase == "stop" and told["generation"] == 2:
            collected.set()

    gc.disable()
    gc.callbacks.append(watch)
    garbage.collect_when_idle()
    collected.clear()
    yield collected
    gc.callbacks.remove(watch)
    gc.unfreeze()
    gc.enable()


def test_what_a_page_left_behind_is_collected_soon_after_it_was_drawn(collecting: threading.Event) -> None:
    gone = threading.Event()
    ring = _Ring()
    weakref.finalize(ring, gone.set)
    del ring
    assert not gone.is_set()
    garbage.note_page_drawn()
    assert collecting.wait(10)
    assert gone.is_set()
