import pytest

from core.platform.language.sentences import row_spans, sentences


@pytest.mark.parametrize(
    "parts",
    [
        ["Proof 3 hours at 26 °C.", "Bake at 250 ° C.", "Let it cool."],
        ["Open from 9 a.m. to 5 p.m.; in winter until 3:30 p.m.", "The gate stays open."],
        ["Held in Washington D.C.", "The Afghan members met flights, field work, etc.", "When it ended, they left."],
        ["He wrote to J. A. Smith and Robert A. May in 1976.", "See Fig. 3."],
        ["It was proposed by K. He and J. Sun.", "Journals (e.g. The Lancet) and Dr. Who agree."],
        ["It rose for years.[20]", "Then it fell. [3, 4]", "The rest stayed."],
    ],
)
def test_a_dot_ends_a_sentence_where_the_text_begins_anew(parts: list[str]) -> None:
    assert sentences("\n\n".join(parts)) == sentences(" ".join(parts)) == parts


def test_a_line_with_the_number_of_an_item_begins_anew() -> None:
    lines = ["一、會議時間：96 年 3 月", "二、會議地點：會議室", "十二、散會"]
    assert sentences("\n".join(lines)) == lines
    assert sentences("他有三、\n四個") == ["他有三、\n四個"]


def test_each_row_of_a_table_stands_by_itself() -> None:
    text = "Two ships.\n\nName | Port\nAnna | Oslo"
    assert [text[start:end] for start, end in row_spans(text, " | ")] == ["Two ships.", "Name | Port", "Anna | Oslo"]
