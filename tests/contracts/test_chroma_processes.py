"""Several processes use one Chroma folder, which Chroma is not made for: two that wrote at once broke its graph."""

import subprocess
import sys
from pathlib import Path

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.search.index.chroma_graph import DATABASE, broken_collections
from tests.contracts.collection_process import ENTRIES, index_of

ROOT = Path(__file__).parents[2]
SECONDS = 20
WRITER = """
import sys, time
from pathlib import Path
from core.models.embedding.hashed import HashedEmbedder
from core.search.ports import IndexEntry
from tests.contracts.collection_process import index_of
index, until, made = index_of(Path(sys.argv[1]), HashedEmbedder()), time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < until:
    texts = [IndexEntry(f"c{n}", f"d{n // 7}", "", "", f"word{n} text{n * 7}") for n in range(made, made + 1_000)]
    index.upsert("base", "chunks", texts)
    made += 1_000
    index.delete_documents("base", [f"d{made // 14}"])
"""
READER = """
import sys, time
from pathlib import Path
from core.models.embedding.hashed import HashedEmbedder
from tests.contracts.collection_process import index_of
until, asked = time.monotonic() + float(sys.argv[2]), 0
while time.monotonic() < until:
    index, asked = index_of(Path(sys.argv[1]), HashedEmbedder()), asked + 1
    index.count("base", "chunks")
    index.search("base", "chunks", f"word{asked} text{asked * 7}", 3)
"""


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_readers_beside_a_writer_neither_fail_nor_break_the_graph(tmp_path: Path) -> None:
    index_of(tmp_path, HashedEmbedder()).upsert("base", "chunks", ENTRIES[:10])
    processes = [
        subprocess.Popen([sys.executable, "-c", code, str(tmp_path), str(SECONDS)], cwd=ROOT)
        for code in (WRITER, READER, READER)
    ]
    assert [process.wait(SECONDS * 5) for process in processes] == [0, 0, 0]
    assert not broken_collections(tmp_path / DATABASE)
