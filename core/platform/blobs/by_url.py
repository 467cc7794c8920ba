"""The adapter for a URL."""

from pathlib import Path
from urllib.parse import unquote, urlsplit

from core.platform.blobs.folder import FolderBlobs
from core.platform.blobs.ports import Blobs
from core.platform.errors import ConfigurationError


def blobs_at(url: str) -> Blobs:
    """`file:///folder` or `s3://bucket/prefix`. Raises ConfigurationError for any other."""
    parts = urlsplit(url)
    if parts.scheme == "file" and not parts.netloc and parts.path not in ("", "/"):
        return FolderBlobs(Path(unquote(parts.path)))
    if parts.scheme == "s3" and parts.netloc and "@" not in parts.netloc:
        return _in_object_store(url.rstrip("/"))
    raise ConfigurationError("storage.files_url_unusable")


def _in_object_store(url: str) -> Blobs:
    """Its library is an extra."""
    try:
        from core.platform.blobs.object_store import ObjectStoreBlobs
    except ImportError as error:
        raise ConfigurationError("storage.files_library_missing") from error
    return ObjectStoreBlobs(url)
