"""The engine's limits: context, threads and memory, chosen for the machine where the settings leave them open."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from core.models.local.gguf import GgufHead, read_head
from core.models.local.machine import cores
from core.models.local.ports import EngineLimits
from core.platform.errors import ConfigurationError

_WEIGHTS = 1.25
"""Memory for each byte of the file: some weights are rearranged for the processor."""
_WORKING_BYTES = 600_000_000
"""Program, buffers and the cache of earlier prompts (`engine_process.CACHE_MEGABYTES`)."""
_MOST_THREADS = 16


@dataclass(frozen=True, slots=True)
class WantedLimits:
    """Limits from the settings."""

    context: int
    threads: int
    """0: chosen for the machine."""
    idle_minutes: int


def limits_for(path: Path, wanted: WantedLimits) -> EngineLimits:
    """Raises NotFoundError or InputError for a file that cannot be used."""
    head = head_of(path)
    context = min(wanted.context, head.context)
    memory = needed_memory(path.stat().st_size, head.context_bytes, context)
    return EngineLimits(context, wanted.threads or _threads(), memory, wanted.idle_minutes * 60)


def needed_memory(size: int, context_bytes: int, context: int) -> int:
    """Estimated bytes for a file of weights and a context of that many tokens."""
    return int(size * _WEIGHTS) + context_bytes * context + _WORKING_BYTES


def check_memory(needed: int, available: int | None, title: str) -> None:
    """Raises ConfigurationError. available: bytes; None where the system does not say."""
    if available is not None and available < needed:
        numbers = {"needed": f"{needed / 1e9:.1f}", "free": f"{available / 1e9:.1f}"}
        raise ConfigurationError("local_model.no_memory", title=title, **numbers)


def head_of(path: Path) -> GgufHead:
    """The head, read once for each state of the file."""
    try:
        state = path.stat()
    except OSError:
        return read_head(path)
    return _head_of(path, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=8)
def _head_of(path: Path, changed: int, size: int) -> GgufHead:
    del changed, size
    return read_head(path)


def _threads() -> int:
    """One core is left to the pages where there are more than two; on two, the lower priority does that."""
    found = cores()
    return min(_MOST_THREADS, found if found <= 2 else found - 1)
