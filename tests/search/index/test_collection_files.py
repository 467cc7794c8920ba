"""Files of collections: searched as long as they are what the store says, without opening Chroma."""

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import RetryableServiceError, ServiceError
from core.search.index import chroma_access, vector_file
from core.search.index.chroma_index import ChromaIndex
from core.search.index.lock import exclusive
from core.search.ports import IndexEntry, MadeVectors
from tests.fakes.indexes import FakeVectorStore

ENTRIES = [
    IndexEntry("c1", "d1", "Levity (film)", "", "Levity is a drama directed by Ed Solomon."),
    IndexEntry("c2", "d2", "Ed Solomon", "Life", "Edward Solomon is an American writer and director."),
    IndexEntry("c3", "d3", "软件工程", "", "软件工程师设计程序。"),
]
QUERY = "a drama of Ed Solomon"


class Place:
    """A folder with indexes over it, each as a process of its own has it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.store = FakeVectorStore()

    def index(self) -> ChromaIndex:
        return ChromaIndex(self.folder, HashedEmbedder(), self.store)

    def file(self) -> Path:
        (found,) = self.folder.glob("compared/*.exact")
        return found

    def opens(self, ask: Callable[[ChromaIndex], object]) -> bool:
        """Whether a new process opens Chroma for the answer."""
        index = self.index()
        ask(index)
        return "_chroma" in vars(index)


def found(index: ChromaIndex, query: str = QUERY) -> list[tuple[str, float]]:
    return index.search("base", "chunks", query, 5)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "chroma")
    made.index().upsert("base", "chunks", ENTRIES)
    found(made.index())
    return made


def test_a_process_finds_the_same_without_chroma(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    asks: list[Callable[[ChromaIndex], object]] = [
        found,
        lambda index: index.search("base", "chunks", QUERY, 5, ["d2"]),
        lambda index: index.nearness("base", "chunks", QUERY, ["c1"]),
        lambda index: index.count("base", "chunks"),
        lambda index: index.progress("base"),
    ]
    by_file = [ask(place.index()) for ask in asks]
    assert [place.opens(ask) for ask in asks] == [False] * 5
    place.file().unlink()
    monkeypatch.setattr(vector_file, "EXACT", 0)
    by_chroma = [ask(place.index()) for ask in asks]
    assert by_file[2:] == by_chroma[2:]
    for filed, asked in zip(by_file[:2], by_chroma[:2], strict=True):
        assert dict(filed) == pytest.approx(dict(asked), abs=1e-5)  # type: ignore[call-overload]
    assert [id for id, _ in by_file[1]] == ["c2"]  # type: ignore[attr-defined]


def test_what_is_written_or_deleted_is_seen_by_who_has_searched_before(place: Place) -> None:
    reader = place.index()
    assert found(reader)[0][0] == "c1"
    place.index().upsert("base", "chunks", [IndexEntry("c4", "d4", "", "", QUERY)])
    assert found(reader)[0][0] == "c4"
    assert reader.count("base", "chunks") == 4
    place.index().delete_documents("base", ["d4"])
    assert found(reader)[0][0] == "c1"
    assert reader.count("base", "chunks") == 3
    assert not place.opens(found)


def test_a_file_that_lacks_an_entry_is_made_anew(place: Place) -> None:
    """As after a power loss."""
    old = place.file().read_bytes()
    place.index().upsert("base", "chunks", [IndexEntry("c4", "d4", "", "", QUERY)])
    place.file().write_bytes(old)
    assert place.opens(found)
    assert found(place.index())[0][0] == "c4"
    assert not place.opens(found)


def test_a_vector_that_chroma_lost_is_looked_for_there_each_time(place: Place) -> None:
    """The file never says more than Chroma has; who counts finds the loss."""
    lost = IndexEntry("c9", "d9", "", "", "never written")
    place.store.keep("chunks", HashedEmbedder().name, [MadeVectors(lost)])
    assert place.opens(found)
    assert place.opens(found)
    assert place.index().count("base", "chunks") == 3


def test_a_rebuilt_base_takes_nothing_from_before(place: Place) -> None:
    place.index().delete_base("base")
    assert not list(place.folder.glob("compared/*"))
    assert found(place.index()) == []
    place.index().upsert("base", "chunks", ENTRIES[:1])
    assert [id for id, _ in found(place.index())] == ["c1"]


@pytest.mark.parametrize("left", [b"", b"no vectors", None])
def test_a_file_that_was_cut_is_made_anew(place: Place, left: bytes | None) -> None:
    path = place.file()
    path.write_bytes(path.read_bytes()[:-9] if left is None else left)
    assert place.opens(found)
    assert not place.opens(found)


def test_a_larger_collection_of_hashed_words_has_no_file(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vector_file, "EXACT", 2)
    place.index().upsert("base", "chunks", ENTRIES[:1])
    assert not list(place.folder.glob("compared/*"))
    assert place.opens(found)
    assert found(place.index())[0][0] == "c1"


class OtherDimension(HashedEmbedder):
    name = "another"
    dimension = 7

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        return [[*np.full(7, 7**-0.5)] for _ in texts]


def test_vectors_of_another_embedder_leave_those_of_the_first_in_chroma(place: Place) -> None:
    """Its files are made by vectors of another length, which this one does not touch."""
    other: Any = ChromaIndex(place.folder, OtherDimension(), FakeVectorStore())
    other.upsert("base", "chunks", ENTRIES)
    other.delete_documents("base", ["d2"])
    assert [id for id, _ in found(place.index())] == ["c1", "c3"]


def test_the_file_of_a_lost_database_is_not_used(place: Place) -> None:
    reader = place.index()
    found(reader)
    (place.folder / "chroma.sqlite3").unlink()
    with pytest.raises(ServiceError, match="rebuild-index"):
        found(reader)


def test_levels_and_bases_have_files_of_their_own(place: Place) -> None:
    place.store.made.clear()
    place.index().upsert("other", "summaries", [IndexEntry("s1", "d9", "", "", QUERY)])
    assert [id for id, _ in place.index().search("other", "summaries", QUERY, 5)] == ["s1"]
    assert len(list(place.folder.glob("compared/*"))) == 2
    place.index().delete_base("other")
    assert len(list(place.folder.glob("compared/*"))) == 1


def test_a_folder_is_opened_by_one_process_at_a_time(place: Place) -> None:
    """Two that find it empty would both create its tables, and one of them would fail."""
    index = place.index()
    place.file().unlink()
    with ThreadPoolExecutor(1) as another:
        with exclusive(place.folder / "opening.lock", 0):
            answer = another.submit(found, index)
            with pytest.raises(TimeoutError):
                answer.result(0.3)
        assert answer.result(20)


def test_threads_that_wait_for_a_folder_in_use_end_together(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one after another, each when its own time is up."""
    index = place.index()
    place.file().unlink()
    monkeypatch.setattr(chroma_access, "WAIT_SECONDS", 1.0)
    with ThreadPoolExecutor(6) as others, exclusive(place.folder / "opening.lock", 0):
        asked = [others.submit(found, index) for _ in range(6)]
        ended = wait(asked, 3.5)
        assert not ended.not_done
        assert all(isinstance(each.exception(), RetryableServiceError) for each in asked)
