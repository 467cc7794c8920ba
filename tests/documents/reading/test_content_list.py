"""Every entry of MinerU's content list as blocks of this project, in the shapes of 1.x to 4.x; none makes it fail."""

import json
import time
from typing import Any

import pytest

from core.documents.model import Block
from core.documents.reading.assemble import assemble
from core.documents.reading.blocks import clean_blocks
from core.documents.reading.content_list import entries_in, entries_of, listed
from core.platform.errors import InputError


def blocks(*entries: Any) -> tuple[Block, ...]:
    return listed([{"page_idx": 0, **entry} if isinstance(entry, dict) else entry for entry in entries]).blocks


def told(*entries: Any) -> list[tuple[str, str]]:
    return [(block.type, block.text) for block in blocks(*entries)]


def read(*entries: Any) -> str:
    return "\n\n".join(piece.text for piece in assemble(clean_blocks(blocks(*entries))))


@pytest.mark.parametrize("level", [0, None, True, "2", -1])
def test_text_without_a_usable_level_is_body_text(level: object) -> None:
    (block,) = blocks({"type": "text", "text": "Body  ", "text_level": level})
    assert (block.text, block.level) == ("Body", 0)


def test_a_heading_keeps_its_level_box_and_page() -> None:
    entry = {"type": "text", "text": "2. Results", "text_level": 2, "bbox": [90, 63, 462, 86], "page_idx": 1}
    found = listed([entry], first_page=200)
    assert found.blocks == (Block(0, 201, "text", "2. Results", 2, (90, 63, 462, 86)),)
    assert (found.pages, found.unknown) == (202, 0)


def test_markdown_shows_its_words_and_formulas_stay() -> None:
    text = r"See [the board](http://a.b) \*now\*, <s>old</s> and $a_{1} \{ x \}$ in **bold**"
    assert told({"type": "text", "text": text}) == [("text", r"See the board *now*, old and $a_{1} \{ x \}$ in bold")]


def test_a_table_has_caption_rows_with_repeated_cells_and_note() -> None:
    html = (
        "<table><tr><td rowspan=2 colspan=1>Gauge</td><td colspan=2>Peak</td></tr><tr><td>2021</td><td>2023</td></tr>"
        "<tr><td><p>HV-01</p><ul><li>old</li></ul></td><td><table><tr><td>in</td></tr></table></td><td>$x$</td></tr></table>"
    )
    entry = {"type": "table", "table_body": html, "table_caption": ["Table 1"], "table_footnote": ["In metres."]}
    assert told(entry) == [
        ("table_caption", "Table 1"),
        ("table", "Gauge | Peak | Peak\nGauge | 2021 | 2023\nHV-01 old | in | $x$"),
        ("table_footnote", "In metres."),
    ]
    assert blocks(entry)[1].html == html


@pytest.mark.parametrize(
    "body",
    [
        "<html><body><table><tr><td>A</td><td>B</td></tr><tr><td>1</td><td>2</td></tr></table></body></html>",
        "| A | B |\n| --- | --- |\n| 1 | 2 |",
        r"\begin{tabular}{|l|c|} \hline A & \textbf{B} \\ \hline 1 & 2 \\ \hline \end{tabular}",
    ],
)
def test_tables_in_every_markup(body: str) -> None:
    assert told({"type": "table", "table_body": body, "table_caption": "Old form"}) == [
        ("table_caption", "Old form"),
        ("table", "A | B\n1 | 2"),
    ]


def test_spans_in_latex() -> None:
    body = r"\begin{tabular}{lll}\multirow{2}{*}{G} & \multicolumn{2}{c}{Peak} \\ & 1 & 2\% \\ \end{tabular}"
    assert told({"type": "table", "table_body": body}) == [("table", "G | Peak | Peak\nG | 1 | 2%")]


def test_a_table_without_a_body_keeps_its_caption() -> None:
    assert read({"type": "table", "img_path": "x.jpg", "table_caption": ["Table 9"]}) == "Table 9"


def test_images_by_old_and_new_names() -> None:
    old = {"type": "image", "img_path": "", "img_caption": ["Fig. 1"], "img_footnote": ["Source: board"]}
    seal = {"type": "image", "sub_type": "seal", "content": "公章", "image_caption": [], "img_path": "data:image/png,"}
    assert read(old, seal) == "Fig. 1\n\nSource: board\n\n公章"


def test_a_chart_is_its_caption_and_its_table() -> None:
    chart = {"type": "chart", "content": "| A | B |\n|---|---|\n| 1 | 2 |", "chart_caption": ["Figure 2"]}
    assert read(chart) == "Figure 2\n\nA | B\n1 | 2"


def test_formulas_lose_their_dollar_signs_and_a_drawn_one_is_marked() -> None:
    assert read({"type": "equation", "text": "$$\nE = m c ^ { 2 }\n$$", "text_format": "latex"}) == "E = m c ^ { 2 }"
    assert read({"type": "equation", "img_path": "x.jpg"}) == "[formula]"


@pytest.mark.parametrize(
    "body",
    [
        "```python\ndef f(a):\n    return a * 2\n```",
        '<div class="mineru-algorithm">\ndef f(a):\n    return a * 2\n</div>',
        "def f(a):\n    return a * 2",
    ],
)
def test_code_without_its_fence(body: str) -> None:
    entry = {"type": "code", "sub_type": "code", "code_body": body, "code_caption": ["Listing 1"]}
    assert told(entry) == [("code_caption", "Listing 1"), ("code", "def f(a):\n    return a * 2")]


def test_a_long_run_of_blanks_before_no_fence_takes_no_time() -> None:
    started = time.process_time()
    assert told({"type": "code", "code_body": "```\n|" + " " * 40_000 + "|"})[0][1].startswith("```")
    assert time.process_time() - started < 2


def test_lists_and_contents_keep_items_and_depth() -> None:
    entry = {"type": "list", "list_items": ["- one", "    - [two](#a)", 3, {"text": "three"}]}
    assert told(entry) == [("list", "- one\n    - two\nthree")]
    assert told({"type": "index", "list_items": ["1. Title"]}) == [("index", "1. Title")]


def test_page_furniture_is_kept_as_blocks_and_left_out_of_the_text() -> None:
    kinds = ("header", "footer", "page_number", "aside_text", "discarded")
    entries = [{"type": kind, "text": kind} for kind in kinds]
    note = {"type": "page_footnote", "text": "1 See annex."}
    assert [kind for kind, _ in told(*entries)] == list(kinds)
    assert read(*entries, note, {"type": "text", "text": "Body."}) == "Body.\n\n1 See annex."


def test_an_unknown_type_keeps_its_texts_and_is_counted() -> None:
    found = listed([{"type": "hologram", "text": "Seen", "hologram_caption": ["by all"], "page_idx": 3}, "stray", None])
    assert [block.text for block in found.blocks] == ["by all", "Seen"]
    assert found.unknown == 3
    assert {block.page for block in found.blocks} == {3}


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"type": None, "text": 7},
        {"type": ["text"], "text": "x"},
        {"type": "text"},
        {"type": "text", "text": {"deep": [1]}},
        {"type": "list", "list_items": "one"},
        {"type": "table", "table_body": 3, "table_caption": {"a": 1}},
        {"type": "code", "code_body": None},
        {"type": "image", "content": [1, 2]},
        {"type": "text", "text": "x", "bbox": [float("nan"), 0, 1, 1]},
        {"type": "text", "text": "x", "bbox": [1, 2, 3]},
        {"type": "text", "text": "x", "bbox": "0 0 1 1"},
        {"type": "text", "text": "x", "page_idx": 10**30},
        {"type": "text", "text": "x", "page_idx": "4"},
        {"type": "text", "text": "\ud800 lone"},
    ],
)
def test_nothing_in_an_entry_makes_it_fail(entry: dict[str, Any]) -> None:
    for block in clean_blocks(listed([entry]).blocks):
        block.text.encode()
        assert block.page >= 0


def test_office_results_have_no_pages() -> None:
    assert listed([{"type": "text", "text": "x", "page_idx": 0}]).pages == 0
    assert listed([{"type": "text", "text": "x", "page_idx": 0, "bbox": [1, 1, 9, 9]}]).pages == 1


@pytest.mark.parametrize(
    ("data", "key"),
    [
        ("{", "not_json"),
        ("[" * 100_000, "not_json"),
        ('{"pages": []}', "no_list"),
        ("[]", "empty"),
        ("[[{}]]", "v2"),
        ('["a"]', "empty"),
    ],
)
def test_files_that_are_no_list(data: str, key: str) -> None:
    with pytest.raises(InputError) as refused:
        entries_in(data, "a.json")
    assert refused.value.key == f"mineru.result.{key}"
    assert "a.json" in str(refused.value)


def test_structured_content_of_4_x() -> None:
    table = {"type": "table", "content": "| A |\n| --- |\n| 1 |", "captions": [{"content": "Table 1"}], "footnotes": []}
    page = {
        "page_idx": 1,
        "blocks": [
            {"type": "doc_title", "bbox": [0.188, 0.091, 0.812, 0.12], "level": 1, "content": "Report"},
            {"type": "text", "content": "Body."},
            table,
            {"type": "list", "content": "- a\n- b"},
        ],
    }
    found = listed(entries_of(json.loads(json.dumps({"pages": [page]})), "a.zip"))
    assert found.blocks[0] == Block(0, 1, "text", "Report", 1, (188, 91, 812, 120))
    assert [block.text for block in found.blocks[1:]] == ["Body.", "Table 1", "A\n1", "- a\n- b"]
    with pytest.raises(InputError):
        entries_of([], "a.zip")
