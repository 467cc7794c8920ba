"""`ingest --dry-run`: what it will take, on standard output, with nothing stored."""

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[3]
SAMPLES = ROOT / "assets" / "samples"


def test_the_estimate_is_printed_and_nothing_is_stored(tmp_path: Path) -> None:
    broken = tmp_path / "broken.pdf"
    broken.write_bytes(b"%PDF-1.4 x")
    data = tmp_path / "data"
    words = ("ingest", str(SAMPLES), str(broken), "--dry-run", "--json")
    command = [sys.executable, "-m", "core", "--data", str(data), *words]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=110, check=False)
    rows = {row["document"]: row for row in json.loads(done.stdout)["documents"]}
    assert done.returncode == 1
    assert "damaged" in rows["broken.pdf"]["error"]
    assert rows["marlow-sound-handbook.pdf"]["pages"] == 3
    assert rows["marlow-sound-handbook.pdf"]["model_calls"] == 0
    assert list(data.rglob("*")) == []
