"""Answers on disk: whole or absent, by keys that are no paths."""

import shutil
from pathlib import Path

import pytest

from core.documents.pipeline.work_files import AnswerFiles
from core.documents.ports.extraction import StoredAnswer


def test_what_was_put_is_got_by_another_process_too(tmp_path: Path) -> None:
    AnswerFiles(tmp_path / "answers").put("a1", '{"answer": "润禾"}')
    assert AnswerFiles(tmp_path / "answers").get("a1") == '{"answer": "润禾"}'


def test_what_was_not_put_is_empty_and_so_is_what_cannot_be_read(tmp_path: Path) -> None:
    answers = AnswerFiles(tmp_path)
    assert answers.get("a1") == ""
    (tmp_path / "a2.tmp").write_text("half")
    assert answers.get("a2") == ""
    (tmp_path / "a3.json").write_bytes(b"\xff\xfe")
    assert answers.get("a3") == ""


def test_lone_surrogates_do_not_stop_it(tmp_path: Path) -> None:
    answers = AnswerFiles(tmp_path)
    answers.put("a1", "a\ud800b")
    assert answers.get("a1") == "a?b"


def test_answers_that_came_together_are_kept_with_each_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, other: Path) -> None:
        raise OSError(path, other)

    for name in ("links", "no links"):
        first, *others = (AnswerFiles(tmp_path / name / document / "answers") for document in "abc")
        along = [
            StoredAnswer(store, key, f"{key}: 润\ud800禾") for store, key in zip(others, ("b1", "c1"), strict=True)
        ]
        first.put_along("a1", "a1: one", along)
        first.put_along("a1", "a1: one", along)
        shutil.rmtree(tmp_path / name / "a")
        assert [store.get(key) for store, key in zip(others, ("b1", "c1"), strict=True)] == ["b1: 润?禾", "c1: 润?禾"]
        assert [others[0].get("c1"), first.get("a1")] == ["", ""]
        monkeypatch.setattr(Path, "hardlink_to", refuse)


def test_paths_are_no_keys(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        AnswerFiles(tmp_path).put("../a", "x")
