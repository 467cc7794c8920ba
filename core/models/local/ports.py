"""Models that run on this machine: which can be fetched, progress of a fetch, state of the engine."""

from dataclasses import dataclass
from enum import StrEnum

from core.platform.errors import AppError


@dataclass(frozen=True, slots=True)
class LocalModel:
    """A model that can be fetched, and what is known about it before it is."""

    name: str
    title: str
    size: int
    """Bytes of its file."""
    memory: int
    """Bytes of memory that it needs with the context of the settings."""
    licence: str
    read_speed: int
    """Tokens a second, like the next one, measured on `measured_cores` free cores."""
    write_speed: int
    measured_cores: int
    fetched: int
    """Bytes of the file that are here, `size` if it is complete."""

    @property
    def is_here(self) -> bool:
        return self.fetched == self.size


@dataclass(frozen=True, slots=True)
class FetchProgress:
    done: int
    """Bytes, including those of earlier attempts."""
    total: int
    is_running: bool
    fault: AppError | None = None
    """Why the fetch ended before its end; CancelledError after a cancel."""


class EngineState(StrEnum):
    OFF = "off"
    """Not started, or unloaded after an idle time."""
    LOADING = "loading"
    READY = "ready"
    FAILED = "failed"
    """It ended by itself and is started again after a pause."""


@dataclass(frozen=True, slots=True)
class EngineStatus:
    """The engine's process, as far as this process knows it."""

    state: EngineState
    percent: int = 0
    """Percentage of the weights read, while loading."""
    megabytes: float = 0.0
    """Memory that the process holds."""
    fault: AppError | None = None


@dataclass(frozen=True, slots=True)
class EngineLimits:
    """Limits that the engine is started with, chosen for the machine where the settings leave them open."""

    context: int
    """Tokens."""
    threads: int
    memory: int
    """Bytes needed, estimated from the file."""
    idle_seconds: int
