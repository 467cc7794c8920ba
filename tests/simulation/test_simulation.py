"""A few seeds in each run of the suite; GRAPHTALK_SIMULATION_SEEDS=10000 for a night, on either database."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.store.postgres import programs

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("GRAPHTALK_SIMULATION_SEEDS", "2"))
MORE = [("postgres", 1, SEEDS), ("sqlite", SEEDS + 1, 2 * SEEDS)]


@pytest.mark.skipif(sys.platform == "win32", reason="its processes are forks")
@pytest.mark.timeout(max(900, 60 * SEEDS))
@pytest.mark.parametrize(
    ("database", "first", "last"),
    [("sqlite", 1, SEEDS), *(pytest.param(*seeds, marks=pytest.mark.slow) for seeds in MORE)],
)
def test_nothing_accepted_is_lost_and_nothing_deleted_returns(database: str, first: int, last: int) -> None:
    """In a process of its own, which has no thread when it forks."""
    if database == "postgres" and not programs():
        pytest.skip("SKIPPED: no Postgres on this machine: nothing shows what its faults do")
    command = [sys.executable, "-m", "tests.simulation", str(first), str(last), database]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
