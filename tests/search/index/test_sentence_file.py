"""Sentences beside a file of vectors: those of the last record of a passage, or none, never another one's."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.search.index import exact_search as scan
from core.search.index.chroma_index import ChromaIndex
from core.search.index.vector_file import VectorFile, VectorRow
from core.search.ports import IndexEntry, Sentences
from tests.fakes.indexes import FakeVectorStore

DIMENSION = 8
QUERY = np.eye(DIMENSION, dtype=np.float32)[0]


def row(name: str, sentences: bytes, document: str = "d", unspaced: bool = False) -> VectorRow:
    return VectorRow(name, document, QUERY, (sentences, unspaced))


def told(file: VectorFile, *ids: str) -> dict[str, tuple[bytes, bool]]:
    return {id: (bytes(packed), unspaced) for id, (packed, unspaced) in file.at_hand(QUERY, ids).sentences.items()}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    rows = [row("a", b"of a"), row("b", b"of b, which is longer", "e", unspaced=True), VectorRow("c", "d", QUERY)]
    VectorFile(tmp_path / "x.vectors", DIMENSION).replace([rows])
    return tmp_path / "x.vectors"


def test_sentences_are_told_of_what_has_some(path: Path) -> None:
    file = VectorFile(path, DIMENSION)
    assert told(file, "b", "c", "unknown", "a") == {"a": (b"of a", False), "b": (b"of b, which is longer", True)}
    assert set(file.at_hand(QUERY, ["a", "c"]).cosines) == {"a", "c"}


def test_a_reader_sees_what_is_appended_replaced_and_deleted(path: Path) -> None:
    reader, writer = VectorFile(path, DIMENSION), VectorFile(path, DIMENSION)
    assert told(reader, "a")
    writer.append([row("a", b"another"), row("new", b"of new", "f"), VectorRow("", "e")])
    assert told(reader, "a", "b", "new") == {"a": (b"another", False), "new": (b"of new", False)}
    writer.append([row("b", b"restored", "e")])
    assert told(reader, "b") == {"b": (b"restored", False)}
    writer.replace([[row("b", b"again")]])
    assert told(reader, "a", "b") == {"b": (b"again", False)}


def test_what_a_killed_process_wrote_before_its_record_is_written_over(path: Path) -> None:
    whole = path.read_bytes()
    VectorFile(path, DIMENSION).append([row("lost", b"of lost"), row("a", b"never seen")])
    path.write_bytes(whole)
    reader = VectorFile(path, DIMENSION)
    assert told(reader, "a", "lost") == {"a": (b"of a", False)}
    VectorFile(path, DIMENSION).append([row("new", b"of new")])
    assert told(reader, "a", "lost", "new") == {"a": (b"of a", False), "new": (b"of new", False)}
    assert reader.fits(4)


@pytest.mark.parametrize("lost", [".starts", ".sentences"])
def test_without_one_of_its_files_nothing_is_told(path: Path, lost: str) -> None:
    path.with_suffix(lost).unlink()
    file = VectorFile(path, DIMENSION)
    assert told(file, "a", "b") == {}
    assert not file.fits(3)
    file.append([row("new", b"of new")])
    assert told(file, "a", "new") == {}
    file.replace([[row("a", b"of a")]])
    assert told(file, "a") == {"a": (b"of a", False)}
    assert file.fits(1)


def test_nothing_is_appended_to_a_lost_file_of_an_empty_one(path: Path) -> None:
    VectorFile(path, DIMENSION).replace([])
    path.with_suffix(".starts").unlink()
    file = VectorFile(path, DIMENSION)
    file.append([row("a", b"of a")])
    assert (told(file, "a"), file.fits(1)) == ({}, False)


def test_a_record_that_was_appended_without_its_sentences_has_none(path: Path) -> None:
    """By a version that knows nothing of them."""
    starts = path.with_suffix(".starts")
    before = starts.read_bytes()
    VectorFile(path, DIMENSION).append([row("a", b"later"), row("new", b"of new")])
    starts.write_bytes(before)
    file = VectorFile(path, DIMENSION)
    assert told(file, "a", "b", "new") == {"b": (b"of b, which is longer", True)}
    assert not file.fits(4)
    file.append([row("last", b"of last")])
    assert told(file, "last") == {}


@pytest.mark.parametrize("only", [(".sentences",), (".sentences", ".starts")])
def test_files_of_which_not_all_were_replaced_tell_nothing_wrong(path: Path, only: Sequence[str]) -> None:
    kept = {suffix: path.with_suffix(suffix).read_bytes() for suffix in (".vectors", ".starts")}
    VectorFile(path, DIMENSION).replace([[row("b", b"first now", "e"), row("a", b"of a, longer than before")]])
    for suffix in kept.keys() - set(only):
        path.with_suffix(suffix).write_bytes(kept[suffix])
    assert told(VectorFile(path, DIMENSION), "a", "b") == {}


def test_a_block_that_was_cut_off_is_not_read(path: Path) -> None:
    blocks = path.with_suffix(".sentences")
    blocks.write_bytes(blocks.read_bytes()[:25])
    assert told(VectorFile(path, DIMENSION), "a", "b") == {"a": (b"of a", False)}


class BySentence(HashedEmbedder):
    semantic = True

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> list[Any]:
        return [np.array(self.embed(parts)) for parts in passages]


class WatchedStore(FakeVectorStore):
    def __init__(self) -> None:
        super().__init__()
        self.asked: list[str] = []

    def sentences(self, embedder: str, ids: Sequence[str]) -> dict[str, Sentences]:
        self.asked += ids
        return super().sentences(embedder, ids)


def entry(number: int) -> IndexEntry:
    return IndexEntry(f"c{number}", f"d{number}", "", "", f"Word{number} came. Text {number * 7} left. 他走了。")


@pytest.mark.parametrize("lost", [(), (".starts", ".sentences")])
def test_nearness_is_the_same_from_the_files_and_from_the_store(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: Sequence[str]
) -> None:
    monkeypatch.setattr(scan, "SCANNED", 2)
    store = WatchedStore()
    writer = ChromaIndex(tmp_path, BySentence(), store)
    writer.upsert("base", "chunks", [entry(number) for number in range(3)])
    writer.upsert("base", "chunks", [entry(3), entry(4)])
    ids = [entry(number).chunk_id for number in range(5)]

    def near() -> tuple[Any, list[str]]:
        store.asked.clear()
        return ChromaIndex(tmp_path, BySentence(), store).nearness("base", "chunks", "word3 came", ids), [*store.asked]

    by_files, asked = near()
    assert asked == []
    for suffix in lost:
        next((tmp_path / "compared").glob(f"base.chunks*{suffix}")).unlink()
    again, asked = near()
    assert again == by_files
    assert asked == (ids if lost else [])
    writer.upsert("base", "chunks", [entry(5)])
    again, asked = near()
    assert asked == [], "the next writer makes lost ones anew"
    assert {id: each.cosine for id, each in again.items()} == pytest.approx(
        {id: each.cosine for id, each in by_files.items()}
    )
    assert len(by_files) == 5
    writer.delete_base("base")
    assert [*(tmp_path / "compared").glob("*.[vs]*")] == [], "nothing of a base that is gone stays"
