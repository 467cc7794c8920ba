"""Content-based ids: the same thing has the same id wherever and whenever it is created."""

from hashlib import sha256


def content_id(*parts: str) -> str:
    """24 hexadecimal digits derived from the parts in their order."""
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:24]


def document_id(base_id: str, file_sha256: str) -> str:
    return content_id("document", base_id, file_sha256)
