"""Files of Chroma's graph: whole ones pass, and wrong sizes or links are found before Chroma follows them."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError, attempted
from core.search.index import chroma_graph
from core.search.index.chroma_graph import check_graphs
from core.search.index.chroma_index import ChromaIndex
from core.search.index.chroma_state import DATABASE
from core.search.ports import IndexEntry
from tests.fakes.indexes import FakeVectorStore

HEADER, RECORDS, UPPER, LENGTHS = "header.bin", "data_level0.bin", "link_lists.bin", "length.bin"
_SIZE = 2_188
"""Bytes of a record: 33 words before 512 numbers and a label."""
_NOWHERE = struct.pack("=I", 1_000_000)


def _entries(start: int, end: int) -> list[IndexEntry]:
    return [IndexEntry(f"c{n}", f"d{n // 10}", "", "", f"word{n} text{n * 7}") for n in range(start, end)]


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A collection that was written in several steps, with deleted documents."""
    folder = tmp_path_factory.mktemp("chroma")
    for start, end in ((0, 400), (400, 1_500), (1_500, 2_600)):
        index = ChromaIndex(folder, HashedEmbedder(), FakeVectorStore())
        index.upsert("base", "chunks", _entries(start, end))
        check_graphs(folder / DATABASE)
        index.delete_documents("base", [f"d{n}" for n in range(start // 10, end // 10, 7)])
        check_graphs(folder / DATABASE)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(chroma_graph, "_SECONDS", 0)
    return Path(shutil.copytree(sound, tmp_path / "chroma"))


def _put(place: int, written: bytes) -> Callable[[bytes], bytes]:
    return lambda content: content[:place] + written + content[place + len(written) :]


def _at_first_list(written: bytes) -> Callable[[bytes], bytes]:
    """Writes behind the size of the first vector that has links of a higher level."""

    def write(content: bytes) -> bytes:
        place = next(at for at in range(0, len(content), 4) if content[at : at + 4] != bytes(4)) + 4
        return _put(place, written)(content)

    return write


HARMS: list[tuple[str, Callable[[bytes], bytes]]] = [
    (HEADER, lambda content: content[:50]),
    (HEADER, _put(0, b"\2")),
    (HEADER, _put(20, bytes(8))),
    (HEADER, _put(20, struct.pack("=Q", 100_000))),
    (HEADER, _put(28, struct.pack("=Q", 100_000))),
    (HEADER, _put(56, _NOWHERE)),
    (HEADER, _put(84, struct.pack("=d", 1e9))),
    (HEADER, _put(92, struct.pack("=Q", 2**60))),
    (RECORDS, lambda content: content[:-1]),
    (RECORDS, _put(_SIZE, struct.pack("=H", 33))),
    (RECORDS, _put(_SIZE + 4, _NOWHERE)),
    (UPPER, lambda content: b""),
    (UPPER, lambda content: content[:-2]),
    (UPPER, lambda content: content + bytes(4)),
    (UPPER, _put(0, struct.pack("=I", 5))),
    (UPPER, _put(0, struct.pack("=I", 68 * 2**25))),
    (UPPER, _at_first_list(struct.pack("=I", 17))),
    (UPPER, _at_first_list(_NOWHERE)),
    (UPPER, _at_first_list(struct.pack("=II", 1, 1_000_000))),
    (LENGTHS, lambda content: content[:-4]),
]


@pytest.mark.parametrize(("name", "harm"), HARMS)
def test_wrong_sizes_and_links_are_found(folder: Path, name: str, harm: Callable[[bytes], bytes]) -> None:
    (path,) = folder.rglob(name)
    content = path.read_bytes()
    path.write_bytes(harm(content))
    with pytest.raises(ServiceError, match="rebuild-index"):
        check_graphs(folder / DATABASE)
    with pytest.raises(ServiceError, match="rebuild-index"):
        ChromaIndex(folder, HashedEmbedder(), FakeVectorStore()).count("base", "chunks")
    path.write_bytes(content)
    check_graphs(folder / DATABASE)


def test_a_missing_file_is_found_and_a_folder_that_goes_meanwhile_is_none(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (path,) = folder.rglob(UPPER)
    path.unlink()
    with pytest.raises(ServiceError, match="rebuild-index"):
        check_graphs(folder / DATABASE)
    monkeypatch.setattr("core.search.index.chroma_graph.time.sleep", lambda _: shutil.rmtree(path.parent))
    check_graphs(folder / DATABASE)


def test_a_graph_that_another_process_writes_is_checked_again(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (path,) = folder.rglob(RECORDS)
    content = path.read_bytes()
    path.write_bytes(content[:1_000])
    monkeypatch.setattr("core.search.index.chroma_graph.time.sleep", lambda _: path.write_bytes(content))
    check_graphs(folder / DATABASE)


@pytest.mark.parametrize("name", [HEADER, RECORDS, UPPER, LENGTHS])
def test_any_bytes_are_found_or_left_without_another_error(folder: Path, name: str) -> None:
    (path,) = folder.rglob(name)
    content = path.read_bytes()
    for seed in range(100):
        random = Random(seed)
        place = random.randrange(len(content))
        spoilt = _put(place, random.randbytes(min(random.choice([1, 8, 100]), len(content) - place)))(content)
        path.write_bytes(spoilt if random.random() < 0.8 else content[:place])
        found = attempted(lambda: check_graphs(folder / DATABASE))
        assert found is None or isinstance(found, ServiceError), (seed, found)


def test_a_graph_that_no_database_names_any_more_is_left_alone(folder: Path) -> None:
    (folder / DATABASE).unlink()
    for path in folder.rglob(HEADER):
        path.write_bytes(b"something else")
    index = ChromaIndex(folder, HashedEmbedder(), FakeVectorStore())
    index.upsert("base", "chunks", _entries(0, 20))
    assert index.count("base", "chunks") == 20
    check_graphs(folder / DATABASE)


def test_a_rebuild_after_damage_makes_the_graphs_anew(folder: Path) -> None:
    (path,) = folder.rglob(HEADER)
    path.write_bytes(b"something else")
    index = ChromaIndex(folder, HashedEmbedder(), FakeVectorStore())
    index.delete_base("base")
    index.upsert("base", "chunks", _entries(0, 20))
    assert index.count("base", "chunks") == 20
