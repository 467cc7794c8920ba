"""Free space and permissions of the data folder, and errors that say why it refuses to be written to."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.platform.errors import AppError, OutOfSpaceError, ServiceError

RESERVE_MEGABYTES = 50
"""Least free space to begin any work: databases and indexes need room to finish their writes."""
_FULL = {errno.ENOSPC, errno.EDQUOT}
_FORBIDDEN = {errno.EROFS, errno.EACCES, errno.EPERM}


def check_space(folder: Path) -> None:
    """Raises OutOfSpaceError when the disk is as good as full."""
    if shutil.disk_usage(folder).free < RESERVE_MEGABYTES * 1_000_000:
        raise out_of_space(folder)


def out_of_space(folder: Path) -> OutOfSpaceError:
    return OutOfSpaceError("storage.disk_full", folder=folder, megabytes=RESERVE_MEGABYTES)


def read_only(folder: Path) -> ServiceError:
    return ServiceError("storage.read_only", folder=folder)


def keep_private(folder: Path) -> None:
    """Makes the folder, and everything that this process and its children write from now on, private to this user.

    A folder of another user stays unchanged; whether it can be used shows with the first file.
    """
    os.umask(0o077)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError:
        return


@contextmanager
def disk_errors(folder: Path) -> Iterator[None]:
    """Raises an AppError instead of the OSError with which the folder refuses to be written to."""
    try:
        yield
    except OSError as error:
        if refusal := _refusal(error, folder):
            raise refusal from error
        raise


@contextmanager
def full_disk_errors(folder: Path) -> Iterator[None]:
    """The same as disk_errors() for a full disk only, for blocks that also read other files."""
    try:
        yield
    except OSError as error:
        if error.errno in _FULL:
            raise out_of_space(folder) from error
        raise


def _refusal(error: OSError, folder: Path) -> AppError | None:
    if error.errno in _FULL:
        return out_of_space(folder)
    return read_only(folder) if error.errno in _FORBIDDEN else None
