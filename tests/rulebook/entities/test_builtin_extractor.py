"""The built-in extractor as a whole: scripts, traditional Chinese, no trace on disk, measured quality."""

import json
import tempfile
from pathlib import Path

import pytest

from core.app.bench.entities import score
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.rulebook.entities.chinese.segmentation import dictionary


def test_traditional_text_keeps_its_own_characters() -> None:
    text = "臺灣大學位於臺北市，負責人為周啟明教授。"
    for language in ("zh-hant", ""):
        found = {entity.name: entity.type for entity in BuiltinExtractor().extract([text], language)[0]}
        assert found == {"臺灣大學": "ORGANIZATION", "臺北市": "LOCATION", "周啟明": "PERSON"}


def test_the_dictionary_leaves_no_file_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    dictionary.cache_clear()
    dictionary()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("name", "typed", "untyped"),
    [("crossner_ai_science_en.jsonl", 0.62, 0.74), ("uner_zh_gsdsimp_dev.jsonl", 0.60, 0.64)],
)
def test_quality_does_not_fall(shared_data: Path, name: str, typed: float, untyped: float) -> None:
    with (shared_data / "ner" / name).open(encoding="utf-8") as file:
        rows = score([json.loads(line) for line in file], BuiltinExtractor())
    both = {row[0]: row[3] for row in rows}
    assert both["all, typed"] > typed
    assert both["all, untyped"] > untyped
