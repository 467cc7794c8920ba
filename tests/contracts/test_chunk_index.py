import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import ChunkIndex, IndexEntry, MadeVectors
from tests.fakes.indexes import FakeChunkIndex, FakeVectorStore

ENTRIES = [
    IndexEntry("c1", "d1", "Levity (film)", "", "Levity is a drama directed by Ed Solomon."),
    IndexEntry("c2", "d2", "Ed Solomon", "Life", "Edward Solomon is an American writer and director."),
    IndexEntry("c3", "d2", "Ed Solomon", "Awards", "He was nominated for prizes in 2021."),
    IndexEntry("c4", "d3", "软件工程", "", "软件工程师设计程序。"),
]


@pytest.fixture(params=["chroma", "fake"])
def index(request: pytest.FixtureRequest, tmp_path: Path) -> ChunkIndex:
    made: ChunkIndex = FakeChunkIndex()
    if request.param == "chroma":
        made = ChromaIndex(tmp_path, HashedEmbedder(), FakeVectorStore())
    made.upsert("base", "chunks", ENTRIES)
    return made


@pytest.fixture
def chroma_index(tmp_path: Path) -> ChromaIndex:
    made = ChromaIndex(tmp_path, HashedEmbedder(), FakeVectorStore())
    made.upsert("base", "chunks", ENTRIES)
    return made


def ids(index: ChunkIndex, query: str, documents: tuple[str, ...] = ()) -> list[str]:
    return [id for id, _ in index.search("base", "chunks", query, 10, documents)]


@pytest.mark.parametrize(("query", "first"), [("drama", "c1"), ("American writers", "c2"), ("软件工程师", "c4")])
def test_the_nearest_comes_first(index: ChunkIndex, query: str, first: str) -> None:
    assert ids(index, query)[0] == first


def test_similarities_fall_and_are_at_most_one(index: ChunkIndex) -> None:
    scores = [score for _, score in index.search("base", "chunks", "Edward Solomon, American writer", 10)]
    assert scores == sorted(scores, reverse=True)
    assert all(-1.0 <= score <= 1.0001 for score in scores)


def test_an_entry_whose_text_is_another_than_its_vector_was_made_of_is_told(index: ChunkIndex) -> None:
    assert index.differing("base", "chunks", ENTRIES) == []
    other = replace(ENTRIES[1], text="Something else.")
    assert index.differing("base", "chunks", [ENTRIES[0], other, *ENTRIES[2:]]) == [other.chunk_id]
    assert index.differing("base", "chunks", []) == []


def test_limit_and_documents_narrow_a_search(index: ChunkIndex) -> None:
    assert len(index.search("base", "chunks", "Ed Solomon", 2)) == 2
    assert set(ids(index, "Ed Solomon", ("d2", "unknown"))) == {"c2", "c3"}
    assert ids(index, "Ed Solomon", ("unknown",)) == []
    assert index.search("base", "chunks", "Ed Solomon", 0) == []


def test_an_entry_written_again_replaces_itself(index: ChunkIndex) -> None:
    index.upsert("base", "chunks", [IndexEntry("c1", "d1", "Levity (film)", "", "A comedy of errors.")])
    assert index.count("base", "chunks") == 4
    assert ids(index, "comedy of errors")[0] == "c1"


def test_deleted_documents_are_gone_and_others_stay(index: ChunkIndex) -> None:
    index.delete_documents("base", ["d2", "unknown"])
    assert index.count("base", "chunks") == 2
    assert set(ids(index, "Ed Solomon")) == {"c1", "c4"}


def test_levels_and_bases_are_apart(index: ChunkIndex) -> None:
    index.upsert("other", "summaries", [IndexEntry("s1", "d9", "Summary", "", "A drama of its own.")])
    assert [id for id, _ in index.search("other", "summaries", "drama", 5)] == ["s1"]
    assert "s1" not in ids(index, "drama")
    index.delete_base("other")
    assert index.count("base", "chunks") == 4


def test_deleting_what_was_never_written_is_no_error(index: ChunkIndex) -> None:
    index.delete_documents("nowhere", ["d1"])
    index.delete_base("nowhere")


def test_a_base_with_a_name_that_chroma_refuses_has_a_collection_of_its_own(chroma_index: ChromaIndex) -> None:
    bases = ["知识库", "知识 库", "a/b", "x" * 300]
    for number, base_id in enumerate(bases):
        chroma_index.upsert(base_id, "chunks", ENTRIES[: number + 1])
    assert [chroma_index.count(base_id, "chunks") for base_id in bases] == [1, 2, 3, 4]


class OtherEmbedder(HashedEmbedder):
    """Another model of the same dimension."""

    @property
    def name(self) -> str:
        return "other/model v2"


def test_vectors_of_another_embedder_are_another_index(chroma_index: ChromaIndex, tmp_path: Path) -> None:
    other = ChromaIndex(tmp_path, OtherEmbedder(), FakeVectorStore())
    assert other.search("base", "chunks", "drama", 5) == []
    other.upsert("base", "chunks", ENTRIES[:1])
    assert (other.count("base", "chunks"), chroma_index.count("base", "chunks")) == (1, 4)


READS: list[Callable[[ChromaIndex], object]] = [
    lambda index: index.search("base", "chunks", "drama", 5),
    lambda index: index.search("base", "chunks", "drama", 5, ["d1"]),
    lambda index: index.count("base", "chunks"),
]


@pytest.mark.parametrize("read", READS)
def test_a_lost_folder_is_an_error_with_the_remedy_even_while_it_is_open(
    chroma_index: ChromaIndex, tmp_path: Path, read: Callable[[ChromaIndex], object]
) -> None:
    read(chroma_index)
    shutil.rmtree(tmp_path)
    with pytest.raises(ServiceError, match="rebuild-index"):
        read(chroma_index)
    assert not tmp_path.exists()


def test_a_lost_folder_can_be_written_again(chroma_index: ChromaIndex, tmp_path: Path) -> None:
    shutil.rmtree(tmp_path)
    chroma_index.delete_base("base")
    chroma_index.upsert("base", "chunks", ENTRIES[:2])
    assert chroma_index.count("base", "chunks") == 2
    assert set(ids(chroma_index, "drama")) == {"c1", "c2"}


@pytest.mark.parametrize("documents", [(), ("d2",), ("d2", "unknown"), ("d1", "d2", "d3", "unknown"), ("unknown",)])
@pytest.mark.parametrize("scanned", [2, 1, 0])
def test_what_is_scanned_in_memory_is_what_chroma_finds(
    chroma_index: ChromaIndex, monkeypatch: pytest.MonkeyPatch, documents: tuple[str, ...], scanned: int
) -> None:
    all_scanned = chroma_index.search("base", "chunks", "Ed Solomon wrote a drama", 3, documents)
    monkeypatch.setattr("core.search.index.vector_file.EXACT", scanned)
    chroma_index.delete_documents("base", ["nothing of it"])
    found = chroma_index.search("base", "chunks", "Ed Solomon wrote a drama", 3, documents)
    assert [id for id, _ in found] == [id for id, _ in all_scanned]
    assert [score for _, score in found] == pytest.approx([score for _, score in all_scanned], abs=1e-5)


def test_of_equal_vectors_the_first_id_comes_first(chroma_index: ChromaIndex) -> None:
    same = [IndexEntry(f"e{number}", "d9", "", "", "an echo") for number in (3, 1, 2)]
    chroma_index.upsert("base", "chunks", same)
    assert ids(chroma_index, "an echo")[:3] == ["e1", "e2", "e3"]


MANY = """
import sys
from pathlib import Path
from core.search.index.chroma_index import ChromaIndex
from core.models.embedding.hashed import HashedEmbedder
from core.search.ports import IndexEntry
from tests.fakes.indexes import FakeVectorStore
index = ChromaIndex(Path(sys.argv[1]), HashedEmbedder(), FakeVectorStore())
index.upsert("base", "chunks", [IndexEntry(f"m{n}", f"d{n}", "", "", f"word{n} text{n * 7}") for n in range(1200)])
"""


def in_another_process(code: str, folder: Path) -> None:
    subprocess.run([sys.executable, "-c", code, str(folder)], check=True, cwd=Path(__file__).parents[2])


def test_a_reader_sees_what_another_process_writes(chroma_index: ChromaIndex, tmp_path: Path) -> None:
    assert "m7" not in ids(chroma_index, "word7 text49")
    in_another_process(MANY, tmp_path)
    assert ids(chroma_index, "word7 text49")[0] == "m7"
    assert chroma_index.count("base", "chunks") == 1204


def test_an_index_opened_again_in_one_process_sees_what_another_process_writes(
    chroma_index: ChromaIndex, tmp_path: Path
) -> None:
    assert chroma_index.count("base", "chunks") == 4
    in_another_process(MANY, tmp_path)
    again = ChromaIndex(tmp_path, HashedEmbedder(), FakeVectorStore())
    assert ids(again, "word7 text49")[0] == "m7"
    assert ids(chroma_index, "word7 text49")[0] == "m7"


def test_another_process_writes_once_chroma_is_not_in_use(chroma_index: ChromaIndex, tmp_path: Path) -> None:
    code = MANY.replace("index.upsert", "print('ready', flush=True)\nindex.upsert")
    command = [sys.executable, "-c", code, str(tmp_path)]
    root = Path(__file__).parents[2]
    with chroma_index._chroma.alone() as chroma, subprocess.Popen(command, cwd=root, stdout=subprocess.PIPE) as other:
        assert other.stdout
        assert other.stdout.readline() == b"ready\n"
        with pytest.raises(subprocess.TimeoutExpired):
            other.wait(3)
        assert chroma.collection(chroma_index._name("base", "chunks")).count() == 4
        other.kill()
    in_another_process(MANY, tmp_path)
    assert chroma_index.count("base", "chunks") == 1204


@pytest.fixture(scope="module")
def many(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("many")
    in_another_process(MANY, folder)
    return folder


@pytest.mark.parametrize("read", READS)
def test_lost_vector_files_are_an_error(many: Path, tmp_path: Path, read: Callable[[ChromaIndex], object]) -> None:
    shutil.copy(many / "chroma.sqlite3", tmp_path)  # without the folders of the vectors
    store = FakeVectorStore()
    store.keep("chunks", HashedEmbedder().name, [MadeVectors(IndexEntry(f"m{n}", "", "", "", "")) for n in range(1200)])
    with pytest.raises(ServiceError, match="rebuild-index"):
        read(ChromaIndex(tmp_path, HashedEmbedder(), store))


@pytest.mark.parametrize("left", [b"", b"not a database" * 1000])
def test_a_damaged_database_is_an_error_and_is_repaired_by_writing_anew(tmp_path: Path, left: bytes) -> None:
    store = FakeVectorStore()
    ChromaIndex(tmp_path / "before", HashedEmbedder(), store).upsert("base", "chunks", ENTRIES)
    (tmp_path / "chroma.sqlite3").write_bytes(left)
    index = ChromaIndex(tmp_path, HashedEmbedder(), store)
    with pytest.raises(ServiceError, match="rebuild-index"):
        index.search("base", "chunks", "drama", 5)
    index.delete_base("base")
    index.upsert("base", "chunks", ENTRIES)
    assert ids(index, "drama")[0] == "c1"


def test_a_rebuild_takes_a_database_away_that_is_damaged_where_nothing_reads_it(tmp_path: Path) -> None:
    store = FakeVectorStore()
    ChromaIndex(tmp_path, HashedEmbedder(), store).upsert("other", "chunks", ENTRIES)
    path = tmp_path / "chroma.sqlite3"
    with closing(sqlite3.connect(path)) as connection:
        (size,) = connection.execute("PRAGMA page_size").fetchone()
        (page,) = connection.execute("SELECT rootpage FROM sqlite_master WHERE name = 'embedding_metadata'").fetchone()
    content = bytearray(path.read_bytes())
    content[(page - 1) * size : page * size] = bytes(size)
    path.write_bytes(content)
    ChromaIndex(tmp_path, HashedEmbedder(), store).delete_base("base")
    assert not path.exists()


def test_a_server_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    index = ChromaIndex(tmp_path, HashedEmbedder(), FakeVectorStore(), "http://127.0.0.1:9")
    with pytest.raises(ServiceError, match="CHROMA_URL"):
        index.search("base", "chunks", "drama", 5)
