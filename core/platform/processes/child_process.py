"""Starts modules of this package in processes of their own, wherever the package lies and from whatever folder."""

import os
import sys
from pathlib import Path

import core

_ROOT = Path(core.__file__).parents[1]


def module_command(module: str, *arguments: str) -> list[str]:
    """`python -m module arguments...`; -P keeps a package of the same name in the current folder out."""
    return [sys.executable, "-P", "-m", module, *arguments]


def python_path() -> str:
    """PYTHONPATH of a child that imports what this process imports, and this package before any other."""
    return os.pathsep.join([str(_ROOT), *(path for path in sys.path if path)])
