"""A model in a process of its own, so that its work is not counted with ours."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def answering(module: str, *arguments: str) -> Iterator[str]:
    """The address that a module of `benchmarks` prints as its first line."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *arguments]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout
        yield process.stdout.readline().strip()
    finally:
        process.terminate()
        process.wait()
