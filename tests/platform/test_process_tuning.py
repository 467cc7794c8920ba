"""The heap: one for all threads of a process, where the allocator is GNU's; linear algebra in the thread that asks."""

import ctypes
import gc
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from threadpoolctl import threadpool_info  # type: ignore[import-untyped]  # it ships no types

from core.interfaces.cli import main as command_line
from core.platform.processes.process_tuning import calculate_in_own_thread

SCRIPT = """
import ctypes, sys, threading
from core.platform.processes.process_tuning import share_heap

if sys.argv[2] == "shared":
    share_heap()
libc, kept, gate = ctypes.CDLL(None), [], threading.Barrier(5)

def take() -> None:
    gate.wait()
    kept.append([bytearray(20_000) for _ in range(50)])
    gate.wait()

threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads:
    thread.start()
gate.wait()
gate.wait()
libc.fopen.restype = ctypes.c_void_p
file = libc.fopen(sys.argv[1].encode(), b"w")
libc.malloc_info(0, ctypes.c_void_p(file))
libc.fclose(ctypes.c_void_p(file))
"""


@pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "gnu_get_libc_version"),
    reason="only GNU's allocator has a heap for each thread",
)
def test_threads_share_one_heap(tmp_path: Path) -> None:
    def heaps(way: str) -> int:
        told = tmp_path / way
        subprocess.run([sys.executable, "-c", SCRIPT, str(told), way], check=True, cwd=Path(__file__).parents[2])
        return told.read_text().count("<heap nr=")

    assert heaps("shared") == 1
    assert heaps("apart") > 1


def test_products_of_matrices_are_computed_by_the_thread_that_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    calculate_in_own_thread.cache_clear()
    calculate_in_own_thread()
    assert np.ones(2) @ np.ones(2) == 2
    assert {each["num_threads"] for each in threadpool_info() if each["user_api"] == "blas"} <= {1}
    monkeypatch.delitem(sys.modules, "numpy")
    monkeypatch.delenv("OPENBLAS_NUM_THREADS", raising=False)
    calculate_in_own_thread.cache_clear()
    calculate_in_own_thread()
    assert os.environ["OPENBLAS_NUM_THREADS"] == "1", "where it is still to be loaded"


@pytest.mark.parametrize(("command", "collects"), [("ask", False), ("documents", True)])
def test_only_a_process_that_lasts_looks_for_garbage(
    monkeypatch: pytest.MonkeyPatch, command: str, collects: bool
) -> None:
    seen: list[bool] = []
    words = {"ask": ["ask", "Why?"], "documents": ["documents", "list"]}[command]
    monkeypatch.setattr(sys, "argv", ["graphtalk", "--server", "http://localhost:1", *words])

    def run(options: object) -> int:
        seen.append(gc.isenabled())
        return 0

    ended: list[int] = []
    monkeypatch.setattr("core.interfaces.cli.remote.run", run)
    monkeypatch.setattr(command_line, "end_at_once", ended.append)
    try:
        assert command_line.process() == 0
        assert gc.get_freeze_count()
    finally:
        gc.unfreeze()
        gc.enable()
    assert seen == [collects]
    assert ended == ([] if collects else [0])


ENDED = """
import atexit, sys
from core.platform.processes.process_tuning import end_at_once
atexit.register(print, "taken apart")
print("said", flush=False)
print("noted", file=sys.stderr)
end_at_once(3)
"""


def test_a_process_that_ends_at_once_has_said_everything(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", ENDED], capture_output=True, text=True, cwd=Path(__file__).parents[2], timeout=60
    )
    assert (done.returncode, done.stdout, done.stderr) == (3, "said\n", "noted\n")
    full = subprocess.run(
        f"{sys.executable} -c '{ENDED}' > /dev/full", shell=True, cwd=Path(__file__).parents[2], timeout=60
    )
    assert full.returncode not in (0, 3), "what could not be said is an error"
