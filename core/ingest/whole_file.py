"""Files that are there whole or not at all, also when the process is killed while it writes."""

import os
from pathlib import Path


def write_whole(path: Path, data: bytes) -> None:
    """Makes the folder; what was there before is replaced."""
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_suffix(".tmp")
    with temporary.open("wb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
