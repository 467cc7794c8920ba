"""Plain text and Markdown as blocks."""

import time

import pytest

from core.documents.reading.plain_text import decode, inline_text, text_blocks

MARKDOWN = """---
title: front matter
---
# Title *one*

Intro with **bold**, `code`, [a link](http://x.y/z) and ![a picture](p.png).
Second line. <!-- a remark --> <b>tag</b>

Setext
------
- item one
- item two
  goes on

1. first

| Name | Value |
|:-----|------:|
| a    | 1     |
| b \\| c | 2   |

```python
x = 1

y = 2
```
> quoted
> words
### 中文标题 ###
最后一段。
"""


def seen(text: str, markdown: bool) -> list[tuple[str, int, str]]:
    return [(block.type, block.level, block.text) for block in text_blocks(text, markdown)]


def test_markdown() -> None:
    assert seen(MARKDOWN, True) == [
        ("text", 1, "Title one"),
        ("text", 0, "Intro with bold, code, a link and a picture.\nSecond line.  tag"),
        ("text", 2, "Setext"),
        ("list", 0, "- item one\n- item two goes on\n1. first"),
        ("table", 0, "Name | Value\na | 1\nb | c | 2"),
        ("code", 0, "x = 1\n\ny = 2"),
        ("text", 0, "quoted\nwords"),
        ("text", 3, "中文标题"),
        ("text", 0, "最后一段。"),
    ]


def test_scripts_styles_and_comments_are_left_out_of_markdown_and_code_is_kept() -> None:
    text = "\n".join(
        [
            "Use `<script>` and `**kwargs`, **never `<b>`**.",
            "",
            "<script>\nlet hidden = 1;\n\nrun();\n</script>",
            "<STYLE media=all>p { color: red }</STYLE>After.",
            "```html\n<!-- shown --><script>shown()</script>\n```",
            "The sign `<!--` begins a remark. <!-- a\n\nremark -->",
        ]
    )
    assert seen(text, True) == [
        ("text", 0, "Use <script> and **kwargs, never <b>."),
        ("text", 0, "After."),
        ("code", 0, "<!-- shown --><script>shown()</script>"),
        ("text", 0, "The sign <!-- begins a remark."),
    ]


@pytest.mark.parametrize("opening", ["<!--", "<script>", "<style>"])
def test_what_is_never_closed_hides_nothing(opening: str) -> None:
    assert "the last words" in seen(f"A page needs no {opening} here.\n\nThese are the last words.", True)[-1][2]


def test_plain_text_paragraphs_and_numbered_headings() -> None:
    groups = ("1. Introduction", "First line\nsecond line.", "2.1 Related Work", "3 apples were eaten, and")
    text = "\n\n".join([*groups, "第三章 方法", "正文。"])
    assert seen(text, False) == [
        ("text", 2, "1. Introduction"),
        ("list", 0, "First line\nsecond line."),
        ("text", 3, "2.1 Related Work"),
        ("text", 0, "3 apples were eaten, and"),
        ("text", 2, "第三章 方法"),
        ("text", 0, "正文。"),
    ]


def test_the_name_of_a_chapter_right_above_its_text_is_a_heading() -> None:
    text = "员工手册\n\n第一章 营业时间\n周一至周五早上八点开门。\n第二章 请假\n1. 提前三天申请。\n2. 提供证明。"
    assert [(block.type, block.text, block.level) for block in text_blocks(text, markdown=False)][1:] == [
        ("text", "第一章 营业时间", 2),
        ("text", "周一至周五早上八点开门。", 0),
        ("text", "第二章 请假", 2),
        ("list", "1. 提前三天申请。\n2. 提供证明。", 0),
    ]


def test_lines_that_are_list_items_make_a_list() -> None:
    assert seen("Shopping:\n\n- milk\n- eggs\n- flour", False) == [
        ("text", 0, "Shopping:"),
        ("list", 0, "- milk\n- eggs\n- flour"),
    ]


@pytest.mark.parametrize(
    ("line", "words"),
    [("# Keys", "Keys"), ("## Keys ##  ", "Keys"), ("# C#", "C#"), ("#\tKeys \\#", "Keys #"), ("#", ""), ("## #", "#")],
)
def test_signs_that_close_a_heading_are_left_out(line: str, words: str) -> None:
    assert [text for _, level, text in seen(line, True) if level] == [words]


def test_an_unclosed_fence_runs_to_the_end() -> None:
    assert seen("```\ncode", True) == [("code", 0, "code")]


def test_backticks_after_those_of_a_fence_make_it_a_code_span() -> None:
    assert seen("```Are you sure? ```\n\n# Next\n\nWords.\n```py x\ny\n```\nEnd.", True) == [
        ("text", 0, "Are you sure?"),
        ("text", 1, "Next"),
        ("text", 0, "Words."),
        ("code", 0, "y"),
        ("text", 0, "End."),
    ]


FAQ = """# Questions
## Rent
<details><summary>How do I <b>pay</b>?</summary>
By transfer.
</details>

<details open>
<summary>
Who reads `<b>`
here?
</summary>

The clerk.

<details><summary>And at night?</summary>Nobody.</details>
</details>
## Keys
```html
<details><summary>Not this</summary></details>
```
"""


def test_summaries_are_headings_of_what_their_details_hold() -> None:
    assert seen(FAQ, True) == [
        ("text", 1, "Questions"),
        ("text", 2, "Rent"),
        ("text", 3, "How do I pay?"),
        ("text", 0, "By transfer."),
        ("text", 3, "Who reads <b> here?"),
        ("text", 0, "The clerk."),
        ("text", 4, "And at night?"),
        ("text", 0, "Nobody."),
        ("text", 2, "Keys"),
        ("code", 0, "<details><summary>Not this</summary></details>"),
    ]


def test_character_references_are_read_outside_code() -> None:
    assert seen("R&amp;D &lt;b&gt; &copy;2020&#x20;", True) == [("text", 0, "R&D <b> ©2020")]
    assert inline_text("AT&T, ?a=1&copy=2, `&lt;`, &nosuchname;") == "AT&T, ?a=1&copy=2, &lt;, &nosuchname;"
    assert seen("a | b\n-|-\n1&#10;2 | 3", True) == [("table", 0, "a | b\n1 2 | 3")]


@pytest.mark.parametrize(
    ("data", "text"),
    [
        ("知识图谱".encode(), "知识图谱"),
        (b"\xef\xbb\xbfbom", "bom"),
        ("知识".encode("utf-16"), "知识"),
        ("知识图谱连接实体。".encode("gb18030"), "知识图谱连接实体。"),
        ("三星國中校外教學，費用四千元。".encode("cp950"), "三星國中校外教學，費用四千元。"),
        ("品名,單價\n黑板擦,35\n".encode("cp950"), "品名,單價\n黑板擦,35\n"),
        ("Überraschung für José".encode("cp1252"), "Überraschung für José"),
        ("£5 (20°C)".encode("cp1252"), "£5 (20°C)"),
        (b"", ""),
    ],
)
def test_decoding(data: bytes, text: str) -> None:
    assert decode(data) == text


def test_hostile_lines_take_no_time() -> None:
    started = time.process_time()
    for line in (
        "*a " * 6_000,
        "[" * 19_000,
        "<!--" * 50_000,
        "<style" * 50_000,
        "`" * 19_000,
        "<summary>" * 30_000,
        "<details>" * 30_000,
        "<details " * 30_000,
        "<summary " * 30_000,
        "# a" + " " * 100_000 + "b",
        "|\n-" + " " * 100_000 + "b",
        "|" * 50_000 + "\n" + "-|" * 50_000,
    ):
        text_blocks(line, True)
        inline_text(line)
    assert time.process_time() - started < 10
