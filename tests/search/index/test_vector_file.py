"""Vectors in a file: compared by their signs first, appended by one process and read by others."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.embedding.hashed import HashedEmbedder
from core.search.index import vector_file
from core.search.index.chroma_index import ChromaIndex
from core.search.index.vector_file import CANDIDATES, WIDER, VectorFile, VectorRow
from core.search.ports import IndexEntry
from tests.fakes.indexes import FakeVectorStore

DIMENSION = 200
MANY = 10_000


def vectors(count: int, seed: int = 1) -> Any:
    """Unit vectors that have something in common, as those of an encoder."""
    made = np.random.default_rng(seed).standard_normal((count, DIMENSION)) + 0.5
    return (made / np.linalg.norm(made, axis=1, keepdims=True)).astype(np.float32)


def rows(made: Any, start: int = 0) -> list[VectorRow]:
    return [VectorRow(f"{start + at:024x}", f"d{(start + at) // 1000}", vector) for at, vector in enumerate(made)]


def made_at(path: Path) -> VectorFile:
    return VectorFile(path, DIMENSION, is_exact=False)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    made_at(tmp_path / "a.vectors").replace([rows(vectors(MANY))])
    return tmp_path / "a.vectors"


@pytest.mark.parametrize("count", [MANY, 2 * MANY])
def test_the_nearest_of_many_are_found(tmp_path: Path, count: int) -> None:
    """Vectors lie in groups, as those of texts on one thing do."""
    middles = vectors(count // 20, seed=2)
    made = np.repeat(middles, 20, axis=0) + 0.7 * vectors(count)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    path = tmp_path / "grouped.vectors"
    made_at(path).replace([rows(made)])
    asked = middles[:20]
    assert 3 * CANDIDATES < MANY < WIDER * CANDIDATES < 2 * MANY
    found = [[int(id, 16) for id, _ in made_at(path).search(query, 10)] for query in asked]
    wanted = [np.argsort(-(made @ query))[:10].tolist() for query in asked]
    assert sum(len(set(a) & set(b)) for a, b in zip(found, wanted, strict=True)) > 0.97 * 10 * len(asked)


def test_cosines_are_told_best_first(path: Path) -> None:
    made = vectors(MANY)
    found = made_at(path).search(made[4711], 5)
    assert found[0][0] == f"{4711:024x}"
    assert found[0][1] == pytest.approx(1, abs=0.005)
    assert [score for _, score in found] == sorted((score for _, score in found), reverse=True)


def test_cosines_of_ids_are_those_of_the_last_records(path: Path) -> None:
    made, query = vectors(MANY), vectors(1, seed=3)[0]
    file = made_at(path)
    asked = [f"{at:024x}" for at in (4711, 5, 99_999, 17)]
    file.append([VectorRow(asked[1], "d0", made[6]), VectorRow("", "d4")])
    found = file.cosines(query, asked)
    assert list(found) == [asked[1], asked[3]], "of a document that is deleted and of an unknown id there are none"
    assert found[asked[1]] == pytest.approx(float(made[6] @ query), abs=0.005)
    assert found[asked[3]] == pytest.approx(float(made[17] @ query), abs=0.005)


def test_documents_narrow_a_search_to_an_exact_one(path: Path) -> None:
    made, query = vectors(MANY), vectors(1, seed=3)[0]
    found = [int(id, 16) for id, _ in made_at(path).search(query, 10, ["d2", "unknown"])]
    assert found == (2000 + np.argsort(-(made[2000:3000] @ query))[:10]).tolist()
    assert made_at(path).search(query, 10, ["unknown"]) == []


def test_a_reader_sees_what_is_appended_replaced_and_deleted(path: Path) -> None:
    reader, writer = made_at(path), made_at(path)
    new = vectors(1, seed=4)[0]
    assert reader.count() == MANY
    writer.append([VectorRow("new", "added", new), VectorRow(f"{1:024x}", "d0", -new)])
    assert (reader.count(), reader.search(new, 1)[0][0]) == (MANY + 1, "new")
    assert reader.search(-new, 1)[0][0] == f"{1:024x}"
    writer.append([VectorRow("", "added"), VectorRow("", "d3")])
    assert reader.count() == MANY - 1000
    assert reader.search(new, 1)[0][0] != "new"
    assert reader.search(vectors(MANY)[3500], 1)[0][0] != f"{3500:024x}"
    writer.append([VectorRow("new", "added", new)])
    assert reader.search(new, 1)[0][0] == "new"
    writer.replace([rows(vectors(3))])
    assert reader.count() == 3


def test_nothing_may_be_appended(path: Path) -> None:
    made_at(path).append([])
    assert made_at(path).count() == MANY


def test_what_a_killed_process_wrote_in_part_is_cut_off(path: Path) -> None:
    with path.open("ab") as file:
        file.write(b"half a record")
    new = vectors(1, seed=5)[0]
    assert made_at(path).count() == MANY
    made_at(path).append([VectorRow("new", "d9", new)])
    assert made_at(path).search(new, 1)[0][0] == "new"


class Semantic(HashedEmbedder):
    semantic = True


def test_a_large_collection_is_searched_in_its_file_as_long_as_it_fits(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(vector_file, "EXACT", 2)
    used, store = list[str](), FakeVectorStore()
    search = VectorFile.search

    def watched(file: VectorFile, *asked: Any) -> Any:
        used.append("file")
        return search(file, *asked)

    monkeypatch.setattr(VectorFile, "search", watched)

    def found(query: str) -> tuple[list[str], int]:
        used.clear()
        index = ChromaIndex(tmp_path, Semantic(), store)
        return [id for id, _ in index.search("base", "chunks", query, 2)], len(used)

    def entry(number: int) -> IndexEntry:
        return IndexEntry(f"c{number}", f"d{number}", "", "", f"word{number} text{number * 7}")

    writer = ChromaIndex(tmp_path, Semantic(), store)
    writer.upsert("base", "chunks", [entry(number) for number in range(2)])
    assert [path.suffix for path in (tmp_path / "compared").glob("*")] == [".exact"]
    writer.upsert("base", "chunks", [entry(2)])
    writer.upsert("base", "chunks", [entry(3), entry(4)])
    assert [path.suffix for path in (tmp_path / "compared").glob("*")] == [".vectors"]
    assert found("word3 text21") == (["c3", *found("word3 text21")[0][1:]], 1)
    writer.delete_documents("base", ["d3"])
    ids, times = found("word3 text21")
    assert "c3" not in ids
    assert times == 1
    (file,) = (tmp_path / "compared").glob("base.chunks*.vectors")
    file.write_bytes(file.read_bytes()[: file.stat().st_size // 2])
    assert found("word4 text28")[1] == 0
    writer.upsert("base", "chunks", [entry(5)])
    assert found("word5 text35") == (["c5", *found("word5 text35")[0][1:]], 1)


def test_a_shorter_file_that_comes_into_its_place_while_it_is_opened_is_read(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, reader, opened = vectors(10), made_at(path), Path.open

    def replaced(self: Path, *arguments: Any) -> Any:
        monkeypatch.setattr(Path, "open", opened)
        made_at(path).replace([rows(made)])
        return opened(self, *arguments)

    monkeypatch.setattr(Path, "open", replaced)
    assert reader.count() == 10
    assert reader.search(made[3], 1)[0][0] == f"{3:024x}"
