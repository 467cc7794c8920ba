"""Cores and memory of this machine, or of the container that it is."""

import os
import sys
from pathlib import Path

_MEMORY = Path("/proc/meminfo")
_CONTROL_GROUP = Path("/sys/fs/cgroup")


def cores() -> int:
    """Cores that this process may use."""
    usable = len(os.sched_getaffinity(0)) if sys.platform == "linux" else os.cpu_count() or 1
    quota, period = [*_words(_CONTROL_GROUP / "cpu.max"), "", ""][:2]
    return min(usable, max(1, int(quota) // int(period))) if quota.isdigit() and period.isdigit() else usable


def total_memory() -> int | None:
    """Bytes; None where the system does not say."""
    total = _of_system("MemTotal")
    limit = _number(_CONTROL_GROUP / "memory.max")
    return min(total, limit) if total and limit else total


def free_memory() -> int | None:
    """Bytes that programs may still take; None where the system does not say."""
    free = _of_system("MemAvailable")
    limit, used = _number(_CONTROL_GROUP / "memory.max"), _number(_CONTROL_GROUP / "memory.current")
    return min(free, max(0, limit - used)) if free and limit and used else free


def _of_system(name: str) -> int | None:
    """A line of /proc/meminfo, such as `MemTotal:  24045332 kB`."""
    words = _words(_MEMORY)
    label = f"{name}:"
    return int(words[words.index(label) + 1]) * 1024 if label in words else None


def _number(path: Path) -> int | None:
    """None where there is no such file, or it says `max`."""
    words = _words(path)
    return int(words[0]) if words and words[0].isdigit() else None


def _words(path: Path) -> list[str]:
    try:
        return path.read_text(encoding="ascii").split()
    except OSError:
        return []
