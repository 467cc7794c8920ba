"""Copies of small collections: used as long as they are what the store says, without opening Chroma."""

import shutil
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, wait
from pathlib import Path

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import RetryableServiceError, ServiceError
from core.search.index import chroma_access
from core.search.index import exact_search as scan
from core.search.index.chroma_index import ChromaIndex
from core.search.index.copied_index import CopiedIndex
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
        self.opened = 0

    def chroma(self) -> ChromaIndex:
        return ChromaIndex(self.folder, HashedEmbedder(), self.store)

    def index(self) -> CopiedIndex:
        def load() -> ChromaIndex:
            self.opened += 1
            return made[0] if made else made.append(self.chroma()) or made[0]  # type: ignore[func-returns-value]

        made: list[ChromaIndex] = []
        return CopiedIndex(self.folder, HashedEmbedder(), self.store, load)

    def copy(self) -> Path:
        (found,) = (self.folder / "copies").rglob("*.npy")
        return found

    def opened_by(self, ask: Callable[[CopiedIndex], object]) -> int:
        """How often a new process asks Chroma for the answer."""
        before = self.opened
        ask(self.index())
        return self.opened - before


def found(index: CopiedIndex | ChromaIndex, query: str = QUERY) -> list[tuple[str, float]]:
    return index.search("base", "chunks", query, 5)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path / "chroma")
    made.index().upsert("base", "chunks", ENTRIES)
    found(made.index())
    return made


def test_a_process_finds_the_same_without_chroma(place: Place) -> None:
    expected = found(place.chroma())
    asks: list[Callable[[CopiedIndex], object]] = [
        found,
        lambda index: index.search("base", "chunks", QUERY, 5, ["d2"]),
        lambda index: index.nearness("base", "chunks", QUERY, ["c1"]),
        lambda index: index.count("base", "chunks"),
        lambda index: index.progress("base"),
    ]
    assert [place.opened_by(ask) for ask in asks] == [0] * 5
    assert found(place.index()) == expected
    assert [id for id, _ in place.index().search("base", "chunks", QUERY, 5, ["d2"])] == ["c2"]
    assert place.index().nearness("base", "chunks", QUERY, ["c1"]) == place.chroma().nearness(
        "base", "chunks", QUERY, ["c1"]
    )
    assert place.index().count("base", "chunks") == 3


def test_what_is_written_or_deleted_is_seen_by_who_has_searched_before(place: Place) -> None:
    reader = place.index()
    assert found(reader)[0][0] == "c1"
    place.index().upsert("base", "chunks", [IndexEntry("c4", "d4", "", "", QUERY)])
    assert found(reader)[0][0] == "c4"
    assert reader.count("base", "chunks") == 4
    place.index().delete_documents("base", ["d4"])
    assert found(reader)[0][0] == "c1"
    assert reader.count("base", "chunks") == 3
    assert place.opened_by(found) == 0


def test_an_entry_of_another_text_makes_the_copy_anew(place: Place) -> None:
    """As after a kill between Chroma's change and the removal of a copy that another process has made meanwhile."""
    old = place.copy().read_bytes()
    changed = IndexEntry("c3", "d3", "", "", QUERY)
    place.chroma().upsert("base", "chunks", [changed])
    place.copy().write_bytes(old)
    assert place.opened_by(found) == 1
    assert found(place.index())[0][0] == "c3"
    assert place.opened_by(found) == 0


def test_an_entry_that_the_copy_lacks_makes_it_anew(place: Place) -> None:
    old = place.copy().read_bytes()
    place.index().upsert("base", "chunks", [IndexEntry("c4", "d4", "", "", QUERY)])
    path = next((place.folder / "copies").rglob("*"), place.folder / "copies")
    assert not path.is_file(), "a change removes the copies first"
    found(place.index())
    place.copy().write_bytes(old)
    assert place.opened_by(found) == 1
    assert found(place.index())[0][0] == "c4"


def test_a_vector_that_chroma_lost_is_looked_for_there_each_time(place: Place) -> None:
    """The copy never says more than Chroma has; who counts finds the loss."""
    lost = IndexEntry("c9", "d9", "", "", "never written")
    place.store.keep("chunks", HashedEmbedder().name, [MadeVectors(lost)])
    assert place.opened_by(found) == 1
    assert place.opened_by(found) == 1
    assert place.index().count("base", "chunks") == 3


def test_a_search_answers_although_another_process_removes_the_copies_while_one_is_written(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.copy().unlink()
    replace = Path.replace

    def removed_before(file: Path, target: Path) -> Path:
        shutil.rmtree(file.parent)
        return replace(file, target)

    monkeypatch.setattr(Path, "replace", removed_before)
    assert found(place.index())[0][0] == "c1"


def test_a_rebuilt_base_takes_nothing_from_before(place: Place) -> None:
    place.index().delete_base("base")
    assert not list((place.folder / "copies").rglob("*.npy"))
    assert found(place.index()) == []
    place.index().upsert("base", "chunks", ENTRIES[:1])
    assert [id for id, _ in found(place.index())] == ["c1"]


@pytest.mark.parametrize("left", [b"", b"not a copy", None])
def test_a_damaged_copy_is_made_anew(place: Place, left: bytes | None) -> None:
    path = place.copy()
    path.write_bytes(path.read_bytes()[:-9] if left is None else left)
    assert place.opened_by(found) == 1
    assert place.opened_by(found) == 0


def test_a_larger_collection_has_no_copy(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "SCANNED", 2)
    assert place.opened_by(found) == 1
    assert found(place.index())[0][0] == "c1"


def test_a_copy_of_a_lost_database_is_not_used(place: Place) -> None:
    reader = place.index()
    found(reader)
    (place.folder / "chroma.sqlite3").unlink()
    with pytest.raises(ServiceError, match="rebuild-index"):
        found(reader)


def test_levels_bases_and_embedders_have_copies_of_their_own(place: Place) -> None:
    place.store.made.clear()
    place.index().upsert("other", "summaries", [IndexEntry("s1", "d9", "", "", QUERY)])
    assert [id for id, _ in place.index().search("other", "summaries", QUERY, 5)] == ["s1"]
    assert len(list((place.folder / "copies").rglob("*.npy"))) == 2
    place.index().delete_base("other")
    assert len(list((place.folder / "copies").rglob("*.npy"))) == 1


def test_a_folder_is_opened_by_one_process_at_a_time(place: Place) -> None:
    """Two that find it empty would both create its tables, and one of them would fail."""
    index = place.chroma()
    with ThreadPoolExecutor(1) as another:
        with exclusive(place.folder / "opening.lock", 0):
            answer = another.submit(found, index)
            with pytest.raises(TimeoutError):
                answer.result(0.3)
        assert answer.result(20)


def test_threads_that_wait_for_a_folder_in_use_end_together(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not one after another, each when its own time is up."""
    index = place.chroma()
    monkeypatch.setattr(chroma_access, "WAIT_SECONDS", 1.0)
    with ThreadPoolExecutor(6) as others, exclusive(place.folder / "opening.lock", 0):
        asked = [others.submit(found, index) for _ in range(6)]
        ended = wait(asked, 3.5)
        assert not ended.not_done
        assert all(isinstance(each.exception(), RetryableServiceError) for each in asked)
