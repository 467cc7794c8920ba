"""What the locks leave out of what packages ask for is needed by nothing: everything starts without it."""

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
LEFT_OUT = [
    Requirement(each).name
    for each in tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["uv"]["override-dependencies"]
]
_IMPORTED = {"google-genai": "google.genai", "google-cloud-storage": "google.cloud", "fonttools": "fontTools"}
PROGRAM = """
import sys
sys.modules.update(dict.fromkeys({names}))
from streamlit.testing.v1 import AppTest
import chromadb.api.rust, docvortex, langsmith, rapidocr, tokenizers
from core.documents.extraction.langextract import extractor
from core.app.services import Services
from core.platform.settings.settings import load_settings
from pathlib import Path
from pyvis.network import Network
with Services(load_settings(Path({data!r}))) as services:
    services.library.bases.create("Papers")
network = Network(cdn_resources="in_line")
network.add_node("a")
assert "vis-network" in network.generate_html(notebook=False)
page = AppTest.from_file({app!r}, default_timeout=60).run()
assert not page.exception, page.exception
"""


def test_the_locks_hold_none_of_it() -> None:
    assert len(LEFT_OUT) >= 4
    for lock in ("requirements.lock", "tests/requirements.lock"):
        locked = {line.split("==")[0] for line in (ROOT / lock).read_text().splitlines() if "==" in line}
        assert locked.isdisjoint(LEFT_OUT)


@pytest.mark.timeout(200)
def test_everything_starts_without_it(data_folder: Path) -> None:
    names = [_IMPORTED.get(name, name.replace("-", "_")) for name in LEFT_OUT]
    program = PROGRAM.format(names=names, data=str(data_folder), app=str(ROOT / "app.py"))
    done = subprocess.run([sys.executable, "-c", program], cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
