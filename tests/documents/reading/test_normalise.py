"""Text in display form: one Unicode form, whole words, nothing invisible."""

import pytest

from core.documents.reading.normalise import code_text, display_text, is_han, join_lines, one_line, weight


@pytest.mark.parametrize(
    ("raw", "shown"),
    [
        ("e\u0301te\u0301", "été"),
        ("ﬁnd the ﬂow of eﬃcient", "find the flow of efficient"),
        ("⼀个⼈ ⽂件 \uf900", "一个人 文件 豈"),
        ("信息Ⅳ①", "信息Ⅳ①"),
        ("trans-\nformer models", "transformer models"),
        ("BERT-\nBase", "BERT-\nBase"),
        ("na¨ıve", "naïve"),
        ("zero\u200bwidth\u202e \x00control\ufeff", "zerowidth control"),
        ("half \ud83d surrogate", "half surrogate"),
        ("\uf0b7 item", "• item"),
        ("a\u00a0\u2003 b\t c", "a b c"),
        ("line one\r\nline two\x0cline three", "line one\nline two\nline three"),
        ("问题、 根据公告， 自 2016 年起", "问题、根据公告，自 2016 年起"),
        ("a\n\n\n\nb", "a\n\nb"),
    ],
)
def test_display_text(raw: str, shown: str) -> None:
    assert display_text(raw) == shown
    assert display_text(shown) == shown


def test_lines_of_a_paragraph_join_without_a_space_between_chinese_characters() -> None:
    assert one_line("知识\n图谱 and\ngraphs") == "知识图谱 and graphs"
    assert join_lines("", "x") == "x"


def test_code_keeps_its_indentation() -> None:
    assert code_text("def f():\r\n\treturn\u00a01\n\n") == "def f():\n    return 1"


def test_a_chinese_character_weighs_two() -> None:
    assert weight("知识ab。") == 8
    assert is_han("，")
    assert not is_han("a")
