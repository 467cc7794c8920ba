"""Whether a Chroma server answers, without loading its client."""

from http import HTTPStatus
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from urllib.parse import urlsplit

_SECONDS = 2.0


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
