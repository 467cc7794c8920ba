"""The catalogue of texts: complete, with the same placeholders in every language, and nothing in it is dead."""

import re
import string
from pathlib import Path

import pytest

from core.texts import LANGUAGES, catalogue, text

ROOT = Path(__file__).parents[2]


def placeholders(template: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(template) if name}


@pytest.mark.parametrize("key", sorted(catalogue()))
def test_every_text_exists_in_english_and_chinese_with_the_same_placeholders(key: str) -> None:
    languages = catalogue()[key]
    assert {"en", "zh-hans"} <= set(languages) <= set(LANGUAGES)
    assert all(placeholders(words) == placeholders(languages["en"]) for words in languages.values())


def test_traditional_chinese_is_derived_from_simplified() -> None:
    assert text("error.cancelled", "zh-hant") == "已停止。"
    assert text("error.run_missing", "zh-hant") == "該執行記錄已不存在。"


def test_every_key_that_the_code_names_is_in_the_catalogue() -> None:
    pattern = re.compile(r'(?:\bt|\btext|Error)\(\s*"([a-z_]+(?:\.[a-z0-9_]+)+)"')
    named = {
        (path.relative_to(ROOT).as_posix(), key)
        for folder in ("core", "pages")
        for path in (ROOT / folder).rglob("*.py")
        for key in pattern.findall(path.read_text(encoding="utf-8"))
    }
    assert len(named) > 10
    assert {(path, key) for path, key in named if key not in catalogue()} == set()
