"""`python -m tests.documents.dumped_samples FOLDER MORE`: reads samples into a new data folder and prints all of it.

MORE: a folder with further files to read.
"""

import sys
from pathlib import Path

from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.pipeline.pipeline import Pipeline
from core.platform.settings.settings import load_settings
from tests.canonical_dump import canonical_dump


def main(folder: Path, more: Path) -> None:
    with Services(load_settings(folder)) as services:
        base = services.lifecycle.load_sample()
        for file in sorted(more.iterdir()):
            services.lifecycle.intake.add(base.id, file.name, file.read_bytes())
        pipeline = Pipeline(stage_deps(services), folder / "work", services.ingestion.queue.cancelling)
        for document in services.library.documents.of_base(base.id):
            pipeline.run(document.id)
        print(canonical_dump(services.storage.engine, base.id))


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
