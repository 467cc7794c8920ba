"""What the disk under the data folder allows: the reasons why it refuses, as errors with a sentence."""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from core.platform.errors import AppError, OutOfSpaceError, ServiceError

RESERVE_MEGABYTES = 50
"""With less than this free nothing is begun: databases and indexes need room to finish what they write."""
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
    """What this process and its children write from now on, and the folder, are for this user alone.

    A folder of another user stays as it is; whether it can be used shows with the first file.
    """
    os.umask(0o077)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
    except OSError:
        return


@contextmanager
def told(folder: Path) -> Iterator[None]:
    """Raises an AppError instead of the OSError with which the folder refuses to be written to."""
    try:
        yield
    except OSError as error:
        if refusal := _refusal(error, folder):
            raise refusal from error
        raise


@contextmanager
def told_when_full(folder: Path) -> Iterator[None]:
    """As `told`, where other files are read as well: only writing can end in a full disk."""
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
