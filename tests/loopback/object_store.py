"""An object store that speaks the part of S3's protocol that is used, over HTTP with paths that begin with the bucket.

It keeps objects in memory, lists in pages of two, and can refuse or fail on request. Signatures are not checked, but
a request without one is refused.
"""

import hashlib
import re
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

from tests.loopback.server import Loopback, Recorded, Wire

_PAGE = 2
_TIME = "2026-11-22T12:00:00.000Z"


class ObjectStoreServer(Loopback):
    def __init__(self) -> None:
        super().__init__()
        self.objects: dict[str, bytes] = {}
        """By bucket and name."""
        self.parts: dict[str, dict[int, bytes]] = {}
        """Of large objects that are being written."""
        self.broken = 0
        """How many of the next requests fail."""
        self.closed = False
        """Whether every request is refused."""

    def answer(self, request: Recorded, wire: Wire) -> None:
        parts = urlsplit(request.path)
        name = unquote(parts.path).strip("/")
        query = {key: values[0] for key, values in parse_qs(parts.query, keep_blank_values=True).items()}
        if self.closed or "authorization" not in request.headers:
            wire.send(403, _error("AccessDenied"), "application/xml")
        elif self.broken:
            self.broken -= 1
            wire.send(503, _error("SlowDown"), "application/xml")
        elif request.method == "GET" and "list-type" in query:
            self._list(name, query, wire)
        elif "delete" in query:
            self._delete(name, request.raw.decode(), wire)
        elif "uploadId" in query or "uploads" in query:
            self._parts(name, query, request, wire)
        elif request.method == "PUT":
            self.objects[name] = request.raw
            wire.send(200, b"", "application/xml", {"ETag": _tag(request.raw)})
        elif name in self.objects:
            data = self.objects[name]
            headers = {"ETag": _tag(data), "Last-Modified": "Sun, 22 Nov 2026 12:00:00 GMT"}
            wire.send(200, data, "application/octet-stream", headers)
        else:
            wire.send(404, _error("NoSuchKey"), "application/xml")

    def _delete(self, bucket: str, wanted: str, wire: Wire) -> None:
        """Several at once, as the client does it; one that is not there counts as deleted."""
        keys = [unescape(key) for key in re.findall("<Key>([^<]*)</Key>", wanted)]
        for key in keys:
            self.objects.pop(f"{bucket}/{key}", None)
        deleted = "".join(f"<Deleted><Key>{escape(key)}</Key></Deleted>" for key in keys)
        wire.send(200, f"<DeleteResult>{deleted}</DeleteResult>".encode(), "application/xml")

    def _parts(self, name: str, query: dict[str, str], request: Recorded, wire: Wire) -> None:
        """A large object in parts: begun, filled, put together."""
        if request.method == "PUT":
            self.parts.setdefault(name, {})[int(query["partNumber"])] = request.raw
            wire.send(200, b"", "application/xml", {"ETag": _tag(request.raw)})
        elif "uploads" in query:
            wire.send(200, _named("InitiateMultipartUploadResult", "UploadId", "1"), "application/xml")
        else:
            found = self.parts.pop(name)
            self.objects[name] = b"".join(found[number] for number in sorted(found))
            wire.send(200, _named("CompleteMultipartUploadResult", "ETag", "1"), "application/xml")

    def _list(self, bucket: str, query: dict[str, str], wire: Wire) -> None:
        start = f"{bucket}/{query.get('prefix', '')}"
        found = sorted(name for name in self.objects if name.startswith(start))
        begin = int(query.get("continuation-token", "0"))
        page, more = found[begin : begin + _PAGE], begin + _PAGE < len(found)
        contents = "".join(
            f"<Contents><Key>{escape(name.removeprefix(bucket + '/'))}</Key><Size>{len(self.objects[name])}</Size>"
            f"<LastModified>{_TIME}</LastModified><ETag>{_tag(self.objects[name])}</ETag></Contents>"
            for name in page
        )
        token = f"<NextContinuationToken>{begin + _PAGE}</NextContinuationToken>" if more else ""
        truncated = str(more).lower()
        body = f"<ListBucketResult><IsTruncated>{truncated}</IsTruncated>{contents}{token}</ListBucketResult>"
        wire.send(200, body.encode(), "application/xml")


def _named(kind: str, field: str, value: str) -> bytes:
    return f"<{kind}><{field}>{value}</{field}></{kind}>".encode()


def _error(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()


def _tag(data: bytes) -> str:
    return f'"{hashlib.md5(data).hexdigest()}"'
