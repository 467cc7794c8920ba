"""A fingerprint of Chroma's database file, to detect changes."""

from pathlib import Path

Stamp = tuple[int, int]
NOTHING: Stamp = (0, 0)
DATABASE = "chroma.sqlite3"


def stamp_of(path: Path) -> Stamp:
    """inode and modification time; zeros if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return NOTHING
    return status.st_ino, status.st_mtime_ns
