"""Reading documents makes the same of them whatever the order of sets is; GRAPHTALK_HASH_SEEDS=10 for more orders."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.documents.lifecycle.sample import TITLES
from tests.documents.made_files import CSV, HTML, docx, epub, xlsx
from tests.documents.parsing.ocr.samples import ENGLISH, painted, saved

ROOT = Path(__file__).parents[2]
SEEDS = int(os.environ.get("GRAPHTALK_HASH_SEEDS", "2"))


@pytest.mark.slow
@pytest.mark.timeout(300 + 60 * SEEDS)
def test_documents_read_under_several_hash_seeds_are_the_same(tmp_path: Path) -> None:
    more = tmp_path / "more"
    more.mkdir()
    files = {"a.docx": docx(), "b.html": HTML, "d.csv": CSV, "e.xlsx": xlsx(), "f.epub": epub()}
    files["c.png"] = saved(painted(ENGLISH), "PNG")
    for name, data in files.items():
        (more / name).write_bytes(data)
    expected = _dump(tmp_path / "first", more, 1)
    read = [line for line in expected if line.startswith('["documents", ')]
    assert len(read) == len(TITLES) + len(files)
    assert not [line for line in read if '"error_key": ""' not in line or '"chunks": 0' in line]
    for seed in range(2, SEEDS + 1):
        assert _dump(tmp_path / str(seed), more, seed) == expected, f"PYTHONHASHSEED={seed} differs"


def _dump(folder: Path, more: Path, seed: int) -> list[str]:
    command = [sys.executable, "-m", "tests.documents.dumped_samples", str(folder), str(more)]
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()
