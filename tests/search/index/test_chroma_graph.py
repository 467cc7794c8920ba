"""Files of Chroma's graph: whole ones pass, and wrong sizes or links are found before Chroma follows them."""

import shutil
import struct
from collections.abc import Callable
from pathlib import Path
from random import Random

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.search.index.chroma_graph import DATABASE, broken_collections
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import IndexEntry, MadeVectors
from tests.fakes.indexes import FakeVectorStore

HEADER, RECORDS, UPPER, LENGTHS = "header.bin", "data_level0.bin", "link_lists.bin", "length.bin"
IDS = "index_metadata.pickle"
NAME = f"base.chunks.{HashedEmbedder().name}"
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
        assert not broken_collections(folder / DATABASE)
        index.delete_documents("base", [f"d{n}" for n in range(start // 10, end // 10, 7)])
        assert not broken_collections(folder / DATABASE)
    return folder


@pytest.fixture
def folder(sound: Path, tmp_path: Path) -> Path:
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
    assert broken_collections(folder / DATABASE) == {NAME}
    with pytest.raises(ServiceError, match="rebuild-index"):
        ChromaIndex(folder, HashedEmbedder(), FakeVectorStore()).count("base", "chunks")
    path.write_bytes(content)
    assert not broken_collections(folder / DATABASE)


@pytest.mark.parametrize("name", [UPPER, IDS])
def test_a_missing_file_is_found(folder: Path, name: str) -> None:
    (path,) = folder.rglob(name)
    path.unlink()
    assert broken_collections(folder / DATABASE) == {NAME}


def test_ids_that_were_not_written_to_the_end_are_found(folder: Path) -> None:
    (path,) = folder.rglob(IDS)
    path.write_bytes(path.read_bytes()[:-100])
    assert broken_collections(folder / DATABASE) == {NAME}


@pytest.mark.parametrize("name", [HEADER, RECORDS, UPPER, LENGTHS])
def test_any_bytes_are_found_or_left_without_another_error(folder: Path, name: str) -> None:
    (path,) = folder.rglob(name)
    content = path.read_bytes()
    for seed in range(100):
        random = Random(seed)
        place = random.randrange(len(content))
        spoilt = _put(place, random.randbytes(min(random.choice([1, 8, 100]), len(content) - place)))(content)
        path.write_bytes(spoilt if random.random() < 0.8 else content[:place])
        assert broken_collections(folder / DATABASE) <= {NAME}


def test_a_graph_that_no_database_names_any_more_is_left_alone(folder: Path) -> None:
    (folder / DATABASE).unlink()
    for path in folder.rglob(HEADER):
        path.write_bytes(b"something else")
    index = ChromaIndex(folder, HashedEmbedder(), FakeVectorStore())
    index.upsert("base", "chunks", _entries(0, 20))
    assert index.count("base", "chunks") == 20
    assert not broken_collections(folder / DATABASE)


class HalfMade(FakeVectorStore):
    """Knows of thirty entries of the base."""

    def pending(self, base_id: str, level: str, embedder: str, limit: int) -> list[IndexEntry]:
        known = _entries(0, 30) if (base_id, level) == ("base", "chunks") else []
        return [entry for entry in known if (embedder, entry.chunk_id) not in self.made][:limit]


def test_vectors_of_a_lost_folder_are_pending_again(folder: Path) -> None:
    store = HalfMade()
    store.keep("chunks", HashedEmbedder().name, [MadeVectors(entry, b"", False) for entry in _entries(0, 20)])
    shutil.rmtree(folder)
    _, waiting = ChromaIndex(folder, HashedEmbedder(), store).pending("base", 100)
    assert len(waiting) == 30


def test_a_rebuild_after_damage_makes_the_graphs_anew(folder: Path) -> None:
    (path,) = folder.rglob(HEADER)
    path.write_bytes(b"something else")
    index = ChromaIndex(folder, HashedEmbedder(), FakeVectorStore())
    index.delete_base("base")
    index.upsert("base", "chunks", _entries(0, 20))
    assert index.count("base", "chunks") == 20


def test_what_a_killed_writer_left_in_pieces_is_made_anew_with_the_rest(folder: Path) -> None:
    store, other = HalfMade(), _entries(3_000, 3_010)
    ChromaIndex(folder, HashedEmbedder(), store).upsert("other", "chunks", other)
    store.keep("chunks", HashedEmbedder().name, [MadeVectors(entry, b"", False) for entry in _entries(0, 20)])
    path = max(folder.rglob(UPPER), key=lambda each: each.stat().st_size)
    path.write_bytes(path.read_bytes()[:-100])
    index = ChromaIndex(folder, HashedEmbedder(), store)
    assert index.count("other", "chunks") == len(other)
    level, waiting = index.pending("base", 100)
    assert (level, len(waiting)) == ("chunks", 30)
    index.upsert("base", level, waiting)
    assert index.count("base", "chunks") == 30
    assert index.count("other", "chunks") == len(other)
