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


def collect_nothing() -> None:
    """For a process that ends with its answer: what it loads stays until then, and its end gives everything back."""
    gc.disable()


def collect_again() -> None:
    gc.enable()


def end_uncollected() -> None:
    """Before the end of a process, at which Python would look through everything once more."""
    gc.freeze()


def collects() -> bool:
    """Whether garbage is looked for in this process."""
    return gc.isenabled()


def end_at_once(status: int) -> None:
    """The system takes a process back as a whole; Python would take apart each of the modules that it has loaded.

    For one that has closed whatever has to be closed. Comes back where nobody reads what was said.
    """
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        return
    os._exit(status)


def give_way_soon() -> None:
    """From now on a thread that calculates lets another one go on after a millisecond, not after Python's five.

    One that has a free slot of a model waits for its turn several times before its call is on its way.
    """
    sys.setswitchinterval(0.001)


@cache
def calculate_in_own_thread() -> None:
    """From now on products of matrices are computed by the thread that asks for them.

    Those of a question are so short that further threads of OpenBLAS wait, at full speed, longer than they work: more
    than half of a question's processor time in a base of a thousand passages.
    """
    if "numpy" not in sys.modules:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        return
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped]  # it ships no types

    ThreadpoolController().limit(limits=1, user_api="blas")


def share_heap() -> None:
    """From now on one for all threads, where the allocator can be told: one each keeps a sixth more of the system's
    memory, and gives little back."""
    if allocator := _glibc():
        allocator.mallopt(_ARENA_MAX, 1)


def give_back() -> None:
    """What is free within the heap goes back to the system, where the allocator can be told: loading leaves holes."""
    if allocator := _glibc():
        allocator.malloc_trim(0)


def _glibc() -> ctypes.CDLL | None:
    if sys.platform != "linux":
        return None
    allocator = ctypes.CDLL(None)
    return allocator if hasattr(allocator, "gnu_get_libc_version") else None


def resident_megabytes(process_id: int | str = "self") -> float:
    """0 where the system does not tell, or the process has ended."""
    try:
        pages = int(Path(f"/proc/{process_id}/statm").read_text().split()[_STATM_RESIDENT])
    except (OSError, ValueError, IndexError):
        return 0.0
    return pages * os.sysconf("SC_PAGE_SIZE") / 1e6
