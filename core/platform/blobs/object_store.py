"""Blobs in an object store that speaks S3's protocol.

Credentials, region and the address of a store other than Amazon's come from the environment: AWS_ACCESS_KEY_ID,
AWS_SECRET_ACCESS_KEY, AWS_REGION, AWS_ENDPOINT_URL.
"""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from typing import Any

import obstore
from obstore.exceptions import BaseError, PermissionDeniedError, UnauthenticatedError
from obstore.store import S3Store

from core.platform.blobs.ports import checked
from core.platform.errors import RetryableServiceError, ServiceError
from core.platform.files.atomic_file import move_into_place, temporary_file
from core.platform.files.sqlite_file import first_line

_SECONDS = timedelta(seconds=60)
_RETRY_SECONDS = timedelta(seconds=20)


class ObjectStoreBlobs:
    def __init__(self, url: str) -> None:
        """url: `s3://bucket/prefix`."""
        self._url = url

    @property
    def place(self) -> str:
        return self._url

    def put(self, name: str, data: bytes | Path) -> None:
        with self._translated():
            obstore.put(self._store, checked(name), data)

    def get(self, name: str) -> bytes | None:
        with self._translated():
            try:
                return bytes(obstore.get(self._store, checked(name)).bytes())
            except FileNotFoundError:
                return None

    def fetch(self, name: str, into: Path) -> bool:
        with self._translated():
            try:
                found = obstore.get(self._store, checked(name))
            except FileNotFoundError:
                return False
            with temporary_file(into.parent) as file:
                for piece in found.stream():
                    file.write(bytes(piece))
                move_into_place(file, into)
        return True

    def has(self, name: str) -> bool:
        with self._translated():
            try:
                obstore.head(self._store, checked(name))
            except FileNotFoundError:
                return False
        return True

    def names(self, prefix: str) -> list[str]:
        checked(prefix.rstrip("/"))
        with self._translated():
            return sorted(str(item["path"]) for batch in obstore.list(self._store, prefix) for item in batch)

    def delete(self, name: str) -> None:
        with self._translated():
            obstore.delete(self._store, checked(name))

    @cached_property
    def _store(self) -> S3Store:
        is_plain = os.environ.get("AWS_ENDPOINT_URL", "").startswith("http://")
        options: Any = {"timeout": _SECONDS, "connect_timeout": timedelta(seconds=5), "allow_http": is_plain}
        retries: Any = {"max_retries": 3, "retry_timeout": _RETRY_SECONDS}
        return S3Store.from_url(self._url, client_options=options, retry_config=retries)

    @contextmanager
    def _translated(self) -> Iterator[None]:
        """Failures of the store as AppError."""
        try:
            yield
        except (PermissionDeniedError, UnauthenticatedError) as error:
            raise ServiceError("storage.files_forbidden", place=self.place) from error
        except (BaseError, FileNotFoundError) as error:  # also a bucket that does not exist
            reason = first_line(error)[:200]
            raise RetryableServiceError("storage.files_unreachable", place=self.place, reason=reason) from error
