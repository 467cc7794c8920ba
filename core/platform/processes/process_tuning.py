"""How a process uses memory and cores, and how it ends: one heap, rare garbage collection, linear algebra in the thread
that asks for it."""

import ctypes
import gc
import os
import sys
from functools import cache
from pathlib import Path

_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's malloc.h."""
COLLECTED_AFTER = 50_000
"""New objects between two collections of the youngest; Python's 700 are collected over and over while libraries load,
which takes a fifth of the time and finds nothing."""
_STATM_RESIDENT = 1


def collect_seldom() -> None:
    gc.set_threshold(COLLECTED_AFTER, *gc.get_threshold()[1:])


def end_at_once(status: int) -> None:
    """Ends the process without tearing down each of its modules, for one that has closed whatever has to be closed.

    Returns if the output cannot be flushed.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(status)


def give_way_soon() -> None:
    """Shortens the time after which a running thread yields to another from Python's five milliseconds to one.

    A thread with a free slot of a model waits for its turn several times before its call is sent.
    """
    sys.setswitchinterval(0.001)


@cache
def calculate_in_own_thread() -> None:
    """Limits linear algebra to the calling thread.

    Products of matrices are so short that other threads of OpenBLAS wait, at full speed, longer than they work: more
    than half of a question's processor time in a base of a thousand passages.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it ships no types

    ThreadpoolController().limit(limits=1, user_api="blas")


def share_heap() -> None:
    """Uses one heap for all threads, if the allocator supports it: one each takes a sixth more of the system's
    memory, and returns little."""
    if allocator := _glibc():
        allocator.mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """Returns free memory within the heap to the system, if the allocator supports it: loading leaves holes."""
    if allocator := _glibc():
        allocator.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    allocator = ctypes.CDLL(None)
    return allocator if hasattr(allocator, "gnu_get_libc_version") else None


def resident_megabytes(process_id: int | str = "self") -> float:
    """Memory of a process; 0 if the system does not say, or the process has ended."""
    try:
        pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[_STATM_RESIDENT])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
