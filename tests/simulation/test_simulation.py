"""A few seeds in each run of the suite; GRAPHTALK_SIMULATION_SEEDS=10000 for a night."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("GRAPHTALK_SIMULATION_SEEDS", "4"))


@pytest.mark.skipif(sys.platform == "win32", reason="its processes are forks")
@pytest.mark.timeout(max(300, 60 * SEEDS))
def test_nothing_accepted_is_lost_and_nothing_deleted_returns() -> None:
    """In a process of its own, which has no thread when it forks."""
    command = [sys.executable, "-m", "tests.simulation", "1", str(SEEDS)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
