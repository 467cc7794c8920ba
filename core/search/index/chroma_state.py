"""State of Chroma without loading its client: whether a server answers, whether the database file has changed."""

from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from pathlib import Path
from urllib.parse import urlsplit

_SECONDS = 2.0
Stamp = tuple[int, int]
NOTHING: Stamp = (0, 0)
DATABASE = "chroma.sqlite3"


def answers(url: str) -> bool:
    address = urlsplit(url)
    if not address.hostname:
        return False
    kind = HTTPSConnection if address.scheme == "https" else HTTPConnection
    connection = kind(address.hostname, address.port, timeout=_SECONDS)
    try:
        connection.request("GET", f"{address.path.rstrip('/')}/api/v2/heartbeat")
        return connection.getresponse().status == HTTPStatus.OK
    except (OSError, HTTPException):
        return False
    finally:
        connection.close()


def stamp_of(path: Path) -> Stamp:
    """inode and modification time; zeros if there is no file."""
    try:
        status = path.stat()
    except FileNotFoundError:
        return NOTHING
    return status.st_ino, status.st_mtime_ns
