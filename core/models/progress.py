"""Who wants to hear how far the model on this machine has come with the request that is being sent."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from core.models.meter import ModelPhase

Tell = Callable[[ModelPhase, int], None]
"""The phase and the per cent of it."""


def nobody(phase: ModelPhase, percent: int) -> None:
    """Where nobody listens."""


_LISTENER: ContextVar[Tell] = ContextVar("listener", default=nobody)


@contextmanager
def telling(tell: Tell) -> Iterator[None]:
    """Requests started inside tell how far they are."""
    token = _LISTENER.set(tell)
    try:
        yield
    finally:
        _LISTENER.reset(token)


def listener() -> Tell:
    return _LISTENER.get()
