"""HTTP client of the engine: each request goes to where the engine is then, which is started and waited for."""

import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from pathlib import Path

import httpx2

from core.models.local.engine import LocalEngine
from core.models.local.engine_record import SLICE_SECONDS
from core.models.meter import ModelPhase, Tell, listener
from core.platform.errors import AppError, CancelledError, ServiceError
from core.platform.files.file_lock import try_lock
from core.platform.http.guarded_client import GuardedTransport, stop_requested

BASE_URL = "http://127.0.0.1/v1"
"""Address of every engine; the port is filled in for each request."""
PLACES = 4
Turn = Callable[[], AbstractContextManager[None]]
"""A context that waits until a request may begin, and lasts until its answer is complete."""
_PROGRESS = re.compile(rb'"prompt_progress": ?(\{[^{}]*\})')
_COUNT = re.compile(rb'"(processed|total)": ?(\d+)')


def open_engine_client(engine: LocalEngine, turn: Turn | None = None) -> httpx2.Client:
    """A client for BASE_URL. The time limit of a request begins when the engine has loaded its model."""
    return httpx2.Client(transport=_EngineTransport(engine, turn), follow_redirects=False)


def one_at_a_time(folder: Path) -> Turn:
    """A Turn for background work: one request of all processes, so that a question never waits behind it."""

    @contextmanager
    def turn() -> Iterator[None]:
        while (lock := try_lock(folder / "background.lock", SLICE_SECONDS)) is None:
            if stop_requested():
                raise CancelledError("error.cancelled")
        try:
            yield
        finally:
            lock.release()

    return turn


def asking(folder: Path) -> Turn:
    """A Turn for questions, which never wait; background work yields to them."""

    @contextmanager
    def turn() -> Iterator[None]:
        lock = next(filter(None, map(try_lock, _places(folder))), None)
        try:
            yield
        finally:
            if lock:
                lock.release()

    return turn


def is_asked(folder: Path) -> bool:
    """Whether a request of a question is under way, in any process."""
    for place in _places(folder):
        lock = try_lock(place)
        if lock is None:
            return True
        lock.release()
    return False


def _places(folder: Path) -> Iterator[Path]:
    """Lock files of questions. A question beyond PLACES is not alone, so it need not be seen."""
    return (folder / f"asked-{number}.lock" for number in range(PLACES))


class _EngineTransport(httpx2.BaseTransport):
    def __init__(self, engine: LocalEngine, turn: Turn | None) -> None:
        self._engine = engine
        self._turn = turn
        self._inner = GuardedTransport()

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        with ExitStack() as held:
            if self._turn:
                held.enter_context(self._turn())
            try:
                record = self._engine.ready(stop_requested, listener())
            except ServiceError:
                raise
            except AppError as error:  # a setting or a file; callers know failures of services only
                raise ServiceError(error.key, **error.params) from error
            request.url = request.url.copy_with(port=record.port)
            request.headers["Authorization"] = f"Bearer {record.key}"
            response = self._inner.handle_request(request)
            stream = response.stream
            assert isinstance(stream, httpx2.SyncByteStream)
            response.stream = _Held(_ReadingTold(stream, listener()), held.pop_all())
        return response

    def close(self) -> None:
        self._inner.close()


class _ReadingTold(httpx2.SyncByteStream):
    """The body of a response, which reports how much of the prompt has been read before there is an answer."""

    def __init__(self, inner: httpx2.SyncByteStream, tell: Tell) -> None:
        self._inner = inner
        self._tell = tell

    def __iter__(self) -> Iterator[bytes]:
        for chunk in self._inner:
            for found in _PROGRESS.findall(chunk):
                self._tell(ModelPhase.READING, _percent(found))
            yield chunk

    def close(self) -> None:
        self._inner.close()


def _percent(progress: bytes) -> int:
    """Percentage of the prompt that was read, including what was cached from an earlier request."""
    counts = {name: int(number) for name, number in _COUNT.findall(progress)}
    return min(100, 100 * counts.get(b"processed", 0) // max(1, counts.get(b"total", 0)))


class _Held(httpx2.SyncByteStream):
    """The body of a response, whose end gives the turn to the next request."""

    def __init__(self, inner: httpx2.SyncByteStream, held: ExitStack) -> None:
        self._inner = inner
        self._turn = held

    def __iter__(self) -> Iterator[bytes]:
        yield from self._inner

    def close(self) -> None:
        with self._turn:
            self._inner.close()
