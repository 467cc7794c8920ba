import json
from pathlib import Path

import pytest

from core.app.bench.retrieval import read_rows, run
from core.interfaces.cli.main import main
from core.platform.errors import InputError
from core.platform.settings.settings import Settings

CORPUS: list[dict[str, object]] = [
    {"id": "p1", "title": "Levity (film)", "text": "Levity is a 2003 drama film directed by Ed Solomon."},
    {"id": "p2", "title": "Ed Solomon", "text": "Edward James Solomon is an American writer, producer and director."},
    {"id": "p3", "title": "", "text": "Paris is the capital of France, on the river Seine. " * 60},
    {"id": "p4", "title": "空", "text": "小灰头稚冠雉生活在热带及亚热带的环境。"},
    {"id": "p5", "title": "Same", "text": "Same text."},
    {"id": "p6", "title": "Same", "text": "Same text."},
]
QUERIES: list[dict[str, object]] = [
    {"id": "q1", "question": "What nationality is the director of Levity?", "relevant": ["p1", "p2"]},
    {"id": "q2", "question": "On which river is the capital of France?", "relevant": ["p3"]},
    {"id": "q3", "question": "小灰头稚冠雉生活在什么地带？", "relevant": ["p4"], "hops": 1},
]


def write(folder: Path, name: str, rows: list[dict[str, object]]) -> None:
    (folder / name).write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "set"
    path.mkdir()
    write(path, "corpus.jsonl", CORPUS)
    write(path, "queries.jsonl", QUERIES)
    return path


def test_a_corpus_goes_through_the_product_and_its_passages_are_ranked(folder: Path, data_folder: Path) -> None:
    result = run(folder, Settings())
    rankings = dict(result.rankings)
    assert set(rankings["q1"][:2]) == {"p1", "p2"}
    assert rankings["q2"][0] == "p3"
    assert rankings["q3"][0] == "p4"
    assert all(len(set(ranked)) == len(ranked) for ranked in rankings.values())
    assert result.row() == ("100.0", "100.0", "100.0", "100.0", "100.0", "3")
    assert list(data_folder.iterdir()) == []


def test_passages_of_the_same_text_are_both_ranked(folder: Path) -> None:
    write(folder, "queries.jsonl", [{"id": "q", "question": "same text", "relevant": ["p5", "p6"]}])
    assert set(dict(run(folder, Settings()).rankings)["q"][:2]) == {"p5", "p6"}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("corpus.jsonl", "{"),
        ("corpus.jsonl", '{"id": 1, "text": "x"}'),
        ("corpus.jsonl", '{"id": "a"}'),
        ("queries.jsonl", '{"id": "a", "question": "x"}'),
        ("queries.jsonl", '{"id": "a", "question": "x", "relevant": "p1"}'),
        ("queries.jsonl", "\udcff"),
    ],
)
def test_files_of_another_shape_are_an_error_that_names_them(folder: Path, name: str, content: str) -> None:
    (folder / name).write_bytes(content.encode("utf-8", "surrogateescape"))
    with pytest.raises(InputError, match=name):
        run(folder, Settings())


def test_a_line_of_json_ends_with_a_line_feed_alone(tmp_path: Path) -> None:
    path = tmp_path / "rows.jsonl"
    path.write_text('{"text": "one\u2028and\x85two"}\r\n\n{"text": "three"}', encoding="utf-8")
    assert [row["text"] for row in read_rows(path)] == ["one\u2028and\x85two", "three"]


def test_rankings_that_cannot_be_written_are_told_in_a_sentence(
    folder: Path, data_folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["bench", "retrieval", str(folder), "--rankings", str(folder / "no" / "out.jsonl")]) == 1
    told = capsys.readouterr()
    assert "recall@2" in told.out
    assert "out.jsonl cannot be written to: No such file or directory" in told.err


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"corpus\.jsonl"):
        run(tmp_path, Settings())
