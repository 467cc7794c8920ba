"""The same documents give the same knowledge base whatever seed Python hashes with: no sum or choice goes by a set.

`GRAPHTALK_HASH_SEEDS=10` compares ten seeds.
"""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
SEEDS = int(os.environ.get("GRAPHTALK_HASH_SEEDS", "2"))
INGEST = """
from pathlib import Path
from benchmarks.answers import fresh_services
from benchmarks.trial import load
from tests.canonical_dump import canonical_dump

samples = Path("assets/samples")
with fresh_services() as services:
    base_id = load(services, [samples.resolve()], {path.name for path in samples.iterdir()})
    print(canonical_dump(services.storage.engine, base_id))
"""


def ingested(seed: int) -> str:
    env = {**os.environ, "PYTHONHASHSEED": str(seed), "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", INGEST], cwd=ROOT, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(60 * SEEDS)
def test_the_samples_are_ingested_alike_under_every_hash_seed() -> None:
    first = ingested(1)
    assert all(f'["{table}"' in first for table in ("chunks", "mentions", "relations"))
    for seed in range(2, SEEDS + 1):
        other = ingested(seed)
        different = sorted(set(first.split("\n")) ^ set(other.split("\n")))
        assert not different, f"seed {seed}: {different[:4]}"
