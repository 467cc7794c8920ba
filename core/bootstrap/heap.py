"""Keeps the memory of a process with many threads small, where the system's allocator can be told to."""

import ctypes
import sys

_ARENA_MAX = -8
"""M_ARENA_MAX of glibc's malloc.h."""


def share_heap() -> None:
    """One heap for all threads from now on: a heap each keeps a sixth more from the system, and gives little back."""
    if sys.platform != "linux":
        return
    allocator = ctypes.CDLL(None)
    if hasattr(allocator, "gnu_get_libc_version"):
        allocator.mallopt(_ARENA_MAX, 1)
