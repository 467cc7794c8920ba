"""`python -m tests.documents.dumped_samples FOLDER`: reads the samples into a new data folder and prints all of it."""

import sys
from pathlib import Path

from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.pipeline.pipeline import Pipeline
from core.platform.settings.settings import load_settings
from tests.canonical_dump import canonical_dump


def main(folder: Path) -> None:
    with Services(load_settings(folder)) as services:
        base = services.lifecycle.load_sample()
        pipeline = Pipeline(stage_deps(services), folder / "work", services.ingestion.queue.cancelling)
        for document in services.library.documents.of_base(base.id):
            pipeline.run(document.id)
        print(canonical_dump(services.storage.engine, base.id))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
