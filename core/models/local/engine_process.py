"""The engine's process: `python -m core.models.local.engine_process`. The order is a line of its standard input.

It ends when no process holds a lease on it, or nobody has used it for a while. A lease is an open connection, which
the system closes however its holder ends.
"""

import contextlib
import os
import secrets
import socket
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from core.models.local.engine_record import (
    END,
    HELLO_BYTES,
    PROOF_BYTES,
    EngineOrder,
    EngineRecord,
    read_record,
    write_record,
)

RECORD = "engine.json"
LINGER_SECONDS = 3.0
"""Wait for another lease after the last one."""
FIRST_LEASE_SECONDS = 30.0
WATCH_SECONDS = 0.5
CACHE_MEGABYTES = 256
"""Cache of earlier prompts; the runtime's default is 8,192."""
BATCH_TOKENS = 256
"""Tokens read at a time; after each batch progress is reported, and the request may be stopped."""
SLOTS = 2
"""Requests at a time, which share the context: a question need not wait for the reading of a document."""
NICE = 5
SPARE_BYTES = 1_000_000_000
"""Memory beyond the estimate, above which the process fails."""
Serve = Callable[[EngineOrder, EngineRecord], Callable[[], bool]]
"""Loads the model and serves it at the record's port; the result says whether a request is being answered."""


class Leases:
    """Connections of the processes that use the engine."""

    def __init__(self, record: EngineRecord, listener: socket.socket) -> None:
        self._record = record
        self._listener = listener
        self._lock = threading.Lock()
        self._held = 0
        self._idle_since = time.monotonic()
        self._unheld_since = time.monotonic() + FIRST_LEASE_SECONDS
        self.ended = threading.Event()
        """A holder wants the engine to end."""

    def start(self) -> None:
        threading.Thread(target=self._accept, name="leases", daemon=True).start()

    def are_over(self) -> bool:
        return not self._held and time.monotonic() - self._unheld_since > LINGER_SECONDS

    def idle_seconds(self) -> float:
        return time.monotonic() - self._idle_since

    def touch(self) -> None:
        self._idle_since = time.monotonic()

    def _accept(self) -> None:
        while True:
            connection, _ = self._listener.accept()
            threading.Thread(target=self._hold, args=(connection,), name="lease", daemon=True).start()

    def _hold(self, connection: socket.socket) -> None:
        with self._lock:
            self._held += 1
        with contextlib.suppress(OSError), connection:  # the holder has ended
            nonce = connection.recv(HELLO_BYTES)
            connection.sendall(self._record.proof(nonce))
            while said := connection.recv(PROOF_BYTES):
                self.touch()
                if said.endswith(self._record.proof(nonce, END)):
                    self.ended.set()
        with self._lock:
            self._held -= 1
            self._unheld_since = time.monotonic()


def run(serve: Serve, arguments: list[str]) -> None:
    """Runs until nobody needs the engine. arguments: its folder."""
    folder = Path(arguments[0])
    order = EngineOrder.from_json(sys.stdin.readline())
    listener = socket.create_server(("127.0.0.1", 0))
    record = EngineRecord(os.getpid(), _free_port(), listener.getsockname()[1], secrets.token_urlsafe(32), order.digest)
    leases = Leases(record, listener)
    leases.start()
    write_record(folder / RECORD, record)
    busy = serve(order, record)
    leases.touch()
    while not (leases.are_over() or leases.ended.wait(WATCH_SECONDS)):
        if leases.idle_seconds() > order.limits.idle_seconds and not busy():
            break
    if read_record(folder / RECORD) == record:
        (folder / RECORD).unlink(missing_ok=True)
    os._exit(0)  # the runtime's threads end with the process


def serve_with_runtime(order: EngineOrder, record: EngineRecord) -> Callable[[], bool]:
    import xllamacpp

    _limit(order)
    params = xllamacpp.CommonParams()
    params.model.path = order.path
    params.model_alias = {order.model}
    params.n_ctx = order.limits.context
    params.n_parallel, params.kv_unified = SLOTS, True
    params.n_batch = params.n_ubatch = BATCH_TOKENS
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = order.limits.threads
    params.cache_ram_mib = CACHE_MEGABYTES
    params.hostnames, params.port, params.api_keys = ["127.0.0.1"], record.port, [record.key]
    params.use_jinja, params.warmup = True, False
    params.verbosity = 2  # warnings: the log must not hold what people ask
    server = xllamacpp.Server(params)

    def busy() -> bool:
        return server is not None and _is_busy(record)  # the server lives as long as this function does

    return busy


def _limit(order: EngineOrder) -> None:
    """The pages go first, memory is bounded, and a crash writes no image of it, which holds people's texts."""
    if sys.platform == "win32":
        return
    import resource

    os.nice(NICE)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    most = order.limits.memory + SPARE_BYTES
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def _is_busy(record: EngineRecord) -> bool:
    """Whether the runtime answers a request. An engine that does not say so is not busy."""
    import json
    from http.client import HTTPConnection, HTTPException

    connection = HTTPConnection("127.0.0.1", record.port, timeout=5)
    try:
        connection.request("GET", "/slots", headers={"Authorization": f"Bearer {record.key}"})
        return any(slot["is_processing"] for slot in json.loads(connection.getresponse().read()))
    except (OSError, HTTPException, ValueError, KeyError, TypeError):
        return False
    finally:
        connection.close()


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    run(serve_with_runtime, sys.argv[1:])
