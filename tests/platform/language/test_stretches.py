"""Lines of Chinese and lines of other scripts, traditional characters."""

from core.platform.language.stretches import split_by_script
from core.rulebook.relations.traditional import simplify


def test_lines_go_to_the_extractor_of_their_script() -> None:
    text = "灌区报告\nEskFlow was built in Northmere.\n\n系统使用EskFlow模型。\n"
    chinese, other = split_by_script(text)
    assert [text[start:end] for start, end in chinese] == ["灌区报告\n", "系统使用EskFlow模型。\n"]
    assert [text[start:end] for start, end in other] == ["EskFlow was built in Northmere.\n\n"]


def test_japanese_is_not_read_as_chinese() -> None:
    assert split_by_script("東京は日本の首都です。")[0] == []


def test_a_text_without_letters_belongs_somewhere() -> None:
    assert split_by_script("12 + 3") == ([], [(0, 6)])
    assert split_by_script("") == ([], [])


def test_simplifying_keeps_the_length() -> None:
    text = "臺灣大學與乾隆皇帝，𠀀 and ABC"
    assert len(simplify(text)) == len(text)
    assert simplify(text).startswith("台湾大学与乾隆")
