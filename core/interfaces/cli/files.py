"""Files that a command names."""

from collections.abc import Iterable, Iterator
from pathlib import Path


def files_below(paths: Iterable[str]) -> Iterator[Path]:
    """The files themselves, and those in folders, in order."""
    for name in paths:
        path = Path(name)
        yield from sorted(child for child in path.rglob("*") if child.is_file()) if path.is_dir() else [path]
