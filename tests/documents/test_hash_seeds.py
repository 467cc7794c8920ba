"""Reading documents makes the same of them whatever the order of sets is; GRAPHTALK_HASH_SEEDS=10 for more orders."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from core.app.services import Services
from core.documents.lifecycle.sample import TITLES
from core.platform.settings.settings import load_settings
from tests.canonical_dump import canonical_dump

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("GRAPHTALK_HASH_SEEDS", "1"))


@pytest.mark.slow
@pytest.mark.timeout(300 + 60 * SEEDS)
def test_the_samples_read_under_several_hash_seeds_are_the_same(
    tmp_path: Path, sample_library: Callable[[Path], None]
) -> None:
    """The library that other tests use was read under a seed of its own."""
    sample_library(tmp_path / "library")
    with Services(load_settings(tmp_path / "library")) as services:
        expected = canonical_dump(services.storage.engine, services.lifecycle.load_sample().id).splitlines()
    assert sum(line.startswith('["documents", ') for line in expected) == len(TITLES)
    for seed in range(1, SEEDS + 1):
        assert _dump(tmp_path / str(seed), seed).splitlines() == expected, f"PYTHONHASHSEED={seed} differs"


def _dump(folder: Path, seed: int) -> str:
    command = [sys.executable, "-m", "tests.documents.dumped_samples", str(folder)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
