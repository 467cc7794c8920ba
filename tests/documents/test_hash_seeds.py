"""Reading documents makes the same of them whatever the order of sets is; GRAPHTALK_HASH_SEEDS=10 for more of them."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("GRAPHTALK_HASH_SEEDS", "2"))


@pytest.mark.timeout(max(120, 60 * SEEDS))
def test_the_samples_read_under_several_hash_seeds_are_the_same(tmp_path: Path) -> None:
    dumps = [_dump(tmp_path / str(seed), seed) for seed in range(1, SEEDS + 1)]
    assert dumps[0].count('["documents", ') == len(list((ROOT / "assets" / "samples").iterdir()))
    for seed, dump in enumerate(dumps, start=1):
        assert dump.splitlines() == dumps[0].splitlines(), f"PYTHONHASHSEED={seed} differs from 1"


def _dump(folder: Path, seed: int) -> str:
    command = [sys.executable, "-m", "tests.documents.dumped_samples", str(folder)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
