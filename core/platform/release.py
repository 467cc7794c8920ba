"""Which release this is."""

import tomllib
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

_PROJECT = Path(__file__).parents[2] / "pyproject.toml"


def release() -> str:
    """As installed; in a checkout that is not installed, as its project file says."""
    try:
        return version("graphtalk")
    except PackageNotFoundError:
        return str(tomllib.loads(_PROJECT.read_text(encoding="utf-8"))["project"]["version"])
