"""The limits of the engine: context, threads and memory, for this machine and the head of a GGUF file.

The file may be anybody's.
"""

import struct
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import IO, Any

from core.models.local.machine import cores
from core.models.local.ports import EngineLimits
from core.platform.errors import ConfigurationError, InputError, NotFoundError

_WEIGHTS = 1.25
"""Memory for each byte of the file: some weights are rearranged for the processor."""
_WORKING_BYTES = 600_000_000
"""Program, buffers and the cache of earlier prompts (`engine_process.CACHE_MEGABYTES`)."""
_MOST_THREADS = 16
_MAGIC = b"GGUF"
_NUMBERS = {0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d"}
"""Formats of the number types; 8 is a text, 9 an array."""
_TEXT, _ARRAY = 8, 9
_MOST_KEYS, _LONGEST_KEY, _LONGEST_TEXT, _LONGEST_ARRAY = 1_000, 1_000, 1_000_000, 2_000_000
_BYTES_A_VALUE = 2
"""The cache holds half-precision numbers."""


@dataclass(frozen=True, slots=True)
class GgufHead:
    context: int
    """Tokens that the model was trained for."""
    context_bytes: int
    """Memory for one token of the context."""
    has_template: bool
    """Whether it brings a chat template, as instructed models do."""


def read_head(path: Path) -> GgufHead:
    """Raises NotFoundError if there is no file, InputError if it is no GGUF file that can be read."""
    try:
        with path.open("rb") as file:
            return _head(_metadata(file))
    except FileNotFoundError as error:
        raise NotFoundError("local_model.no_file", path=path) from error
    except (OSError, ValueError, struct.error, KeyError, TypeError, ZeroDivisionError, OverflowError) as error:
        raise InputError("local_model.no_gguf", path=path) from error


def _head(values: dict[str, Any]) -> GgufHead:
    kind = values["general.architecture"]
    layers, width = int(values[f"{kind}.block_count"]), int(values[f"{kind}.embedding_length"])
    heads = int(values[f"{kind}.attention.head_count"])
    of_cache = int(values.get(f"{kind}.attention.head_count_kv", heads))
    key_width = int(values.get(f"{kind}.attention.key_length", width // heads))
    context = int(values[f"{kind}.context_length"])
    if min(layers, of_cache, key_width, context) < 1:
        raise ValueError("the head names no sizes")
    return GgufHead(context, layers * 2 * of_cache * key_width * _BYTES_A_VALUE, "tokenizer.chat_template" in values)


def _metadata(file: IO[bytes]) -> dict[str, Any]:
    """Values by key; arrays are left out."""
    if file.read(4) != _MAGIC:
        raise ValueError("another kind of file")
    _, _, keys = _read(file, "<I"), _read(file, "<Q"), _read(file, "<Q")
    if keys > _MOST_KEYS:
        raise ValueError("too many keys")
    found = {}
    for _ in range(keys):
        key = _text(file, _LONGEST_KEY)
        kind = _read(file, "<I")
        if kind == _ARRAY:
            _skip_array(file)
        else:
            found[key] = _text(file, _LONGEST_TEXT) if kind == _TEXT else _read(file, _NUMBERS[kind])
    return found


def _skip_array(file: IO[bytes]) -> None:
    kind, length = _read(file, "<I"), _read(file, "<Q")
    if length > _LONGEST_ARRAY:
        raise ValueError("too long an array")
    if kind == _TEXT:
        for _ in range(length):
            _text(file, _LONGEST_TEXT)
    else:
        file.seek(struct.calcsize(_NUMBERS[kind]) * length, 1)


def _text(file: IO[bytes], longest: int) -> str:
    length = _read(file, "<Q")
    if length > longest:
        raise ValueError("too long a text")
    data = file.read(length)
    if len(data) < length:
        raise ValueError("the file ends early")
    return data.decode("utf-8", "replace")


def _read(file: IO[bytes], form: str) -> Any:
    return struct.unpack(form, file.read(struct.calcsize(form)))[0]


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
