"""Which names blobs may have."""

import re

_NAME = re.compile(r"(?!\.)[A-Za-z0-9_.-]+(?:/(?!\.)[A-Za-z0-9_.-]+)*")


def checked(name: str) -> str:
    """Raises ValueError for a name that could leave the folder or mean something to a service."""
    if not _NAME.fullmatch(name):
        raise ValueError("not a name of a blob")
    return name
