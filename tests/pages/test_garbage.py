"""Garbage of page runs is collected when nobody waits for a page."""

import gc
import threading
import weakref
from collections.abc import Iterator

import pytest

from pages.components.shell import lifespan


class _Ring:
    """Held by itself alone: only a collection frees it."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture
def only_when_idle(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Automatic collections are off."""
    monkeypatch.setattr(lifespan, "QUIET_SECONDS", 0.02)
    gc.disable()
    lifespan.collect_when_idle()
    yield
    gc.unfreeze()
    gc.enable()


@pytest.mark.usefixtures("only_when_idle")
def test_what_a_page_left_behind_is_collected_soon_after_it_was_drawn() -> None:
    gone = threading.Event()
    ring = _Ring()
    weakref.finalize(ring, gone.set)
    del ring
    lifespan.note_page_drawn()
    assert gone.wait(10)
