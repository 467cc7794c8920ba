"""Every reader of a collection copes with every state of it: never made, emptied, half-built, swapped, of any size."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError, attempted
from core.search.index import vector_file
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import LEVELS, ChunkIndex, IndexEntry, MadeVectors
from tests.fakes.indexes import FakeVectorStore

ENTRIES = {
    level: [IndexEntry(f"{level}{n}", f"d{n % 4}", "", "", f"word{n} of {level} and text{n * 7}") for n in range(9)]
    for level in LEVELS
}
STEPS = 6
QUERY = "word3 and text21"


class MeaningfulEmbedder(HashedEmbedder):
    """Hashed words that are taken for meanings, so that larger collections are compared in a file."""

    semantic = True


class Shelf:
    """A folder with a process that writes it and others that read it, and what it should hold."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.store = folder, FakeVectorStore()
        self.held: dict[str, dict[str, IndexEntry]] = {level: {} for level in LEVELS}
        self.writer = self.chroma()
        self.readers: dict[str, ChunkIndex] = {"one": self.chroma(), "other": self.chroma()}

    def chroma(self) -> ChromaIndex:
        return ChromaIndex(self.folder, MeaningfulEmbedder(), self.store)

    def change(self, random: Random) -> str:
        """Does one of the things that change a collection, and names it."""
        level, change = (
            random.choice(LEVELS),
            random.choice(["write", "write", "empty", "delete", "rebuild", "restart"]),
        )
        if change == "write":
            entries = random.sample(ENTRIES[level], random.randint(1, 6))
            self.writer.upsert("base", level, entries)
            self.held[level] |= {entry.chunk_id: entry for entry in entries}
        elif change == "restart":
            self.writer = self.chroma()
        elif change == "rebuild":
            self.writer.delete_base("base")
            self._drop({"d0", "d1", "d2", "d3"})
        else:
            documents = {"d0", "d1", "d2", "d3"} if change == "empty" else {random.choice(["d0", "d3"])}
            self.writer.delete_documents("base", sorted(documents))
            self._drop(documents)
        return f"{change} {level}"

    def _drop(self, documents: set[str]) -> None:
        for held in self.held.values():
            for id in [id for id, entry in held.items() if entry.document_id in documents]:
                del held[id]


@pytest.mark.parametrize("scanned", [2_000, 2])
@pytest.mark.parametrize("seed", range(4))
def test_whatever_was_done_to_a_collection_its_readers_find_what_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, scanned: int
) -> None:
    monkeypatch.setattr(vector_file, "EXACT", scanned)
    shelf, random, done = Shelf(tmp_path), Random(seed), ["made"]
    for _ in range(STEPS):
        for name, index in [*shelf.readers.items(), ("new", shelf.chroma())]:
            for level in LEVELS:
                held, at = shelf.held[level], f"{name} {level} after {done}"
                ids = [entry.chunk_id for entry in ENTRIES[level]]
                assert {id for id, _ in index.search("base", level, QUERY, 20)} == held.keys(), at
                own = {id for id, entry in held.items() if entry.document_id == "d0"}
                assert {id for id, _ in index.search("base", level, QUERY, 20, ["d0", "unknown"])} == own, at
                assert index.nearness("base", level, QUERY, ids).keys() == held.keys(), at
                assert index.count("base", level) == index.progress("base", [level]).done == len(held), at
        done.append(shelf.change(random))


READERS: list[Callable[[ChunkIndex], object]] = [
    lambda index: index.search("base", "chunks", QUERY, 5),
    lambda index: index.search("base", "chunks", QUERY, 5, ["d0"]),
    lambda index: list(index.nearness("base", "chunks", QUERY, ["chunks0"])),
    lambda index: index.count("base", "chunks") and [],
]


@pytest.mark.parametrize("read", READERS)
@pytest.mark.parametrize("other_level", [True, False])
def test_a_level_of_which_nothing_was_made_is_empty(
    tmp_path: Path, read: Callable[[ChunkIndex], object], other_level: bool
) -> None:
    """As while the first vectors of a library are being made."""
    shelf = Shelf(tmp_path)
    if other_level:
        shelf.writer.upsert("base", "summaries", ENTRIES["summaries"])
    assert [read(index) or [] for index in shelf.readers.values()] == [[], []]


def test_a_question_while_vectors_are_being_written_hides_none_from_later_ones(tmp_path: Path) -> None:
    """Chroma and the file have them before the store knows of them."""
    shelf = Shelf(tmp_path)
    reader, keep = shelf.readers["one"], shelf.store.keep
    shelf.writer.upsert("base", "chunks", ENTRIES["chunks"][:1])
    assert len(reader.search("base", "chunks", QUERY, 20)) == 1

    def asked_first(level: str, embedder: str, made: Sequence[MadeVectors]) -> None:
        reader.search("base", "chunks", QUERY, 20)
        keep(level, embedder, made)

    shelf.store.keep = asked_first  # type: ignore[method-assign]
    shelf.writer.upsert("base", "chunks", ENTRIES["chunks"][1:])
    assert len(reader.search("base", "chunks", QUERY, 20)) == 9


def _spoil(path: Path, place: int, sign: int) -> bytes:
    """Flips bits of a byte; returns the content of before."""
    before = path.read_bytes()
    path.write_bytes(before[:place] + bytes([before[place] ^ sign]) + before[place + 1 :])
    return before


@pytest.mark.parametrize("sign", [0x01, 0x80])
@pytest.mark.parametrize(
    ("scanned", "pattern", "step"),
    [
        (2_000, "compared/*.exact", 997),
        (2, "compared/*.vectors", 397),
    ],
)
def test_a_flipped_byte_of_a_cache_is_told_or_changes_no_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanned: int, pattern: str, step: int, sign: int
) -> None:
    """A search answers as before or names the remedy; and what answers otherwise differs when it is compared."""
    monkeypatch.setattr(vector_file, "EXACT", scanned)
    shelf, entries = Shelf(tmp_path), ENTRIES["chunks"]
    shelf.writer.upsert("base", "chunks", entries)

    def asked() -> dict[str, float | None]:
        index = shelf.chroma()
        near = index.nearness("base", "chunks", QUERY, [entry.chunk_id for entry in entries])
        return {
            **{f"among all {id}": score for id, score in index.search("base", "chunks", QUERY, 20)},
            **{f"in d0 {id}": score for id, score in index.search("base", "chunks", QUERY, 20, ["d0"])},
            **{f"near {id} {unspaced}": cosine for id, (cosine, unspaced) in near.items()},
        }

    right = pytest.approx(asked(), abs=0.02)
    (path,) = tmp_path.glob(pattern)
    for place in [*range(0, 32, 4), *range(32, path.stat().st_size, step)]:
        before = _spoil(path, place, sign)
        found = attempted(asked)
        if found != right:
            assert not isinstance(found, Exception) or (
                isinstance(found, ServiceError) and "rebuild-index" in str(found)
            ), f"byte {place}: {found!r}"
            assert shelf.chroma().differing("base", "chunks", entries), f"byte {place}"
        path.write_bytes(before)
