"""Tables as rows of text: spans repeated, markup flattened, hostile sizes cut."""

import pytest

from core.documents.reading.tables import rows_text, spaced_rows, table_rows


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("<table><tr><td>a</td><td>b</td></tr><tr><td>1</td><td>2</td></tr></table>", "a | b\n1 | 2"),
        (
            "<table><tr><th rowspan=2>k</th><th colspan=2>v</th></tr><tr><td>x</td><td>y</td></tr></table>",
            "k | v | v\nk | x | y",
        ),
        ("<table><tr><td>a<td>b<tr><td>c<td>d</table>", "a | b\nc | d"),
        ("<table><tr><td><p>one</p><p>two</p></td><td>x<br/>y</td></tr></table>", "one two | x y"),
        ("<table><tr><td>out<table><tr><td>in</td></tr></table></td></tr></table>", "out in"),
        ("<table><tr><td>&lt;b&gt; &amp; 知识</td></tr></table>", "<b> & 知识"),
        ("<table><tr><td>a<script>alert(1)</script></td><td>b | c</td></tr></table>", "a | b / c"),
        ("<table><tr><td></td><td> </td></tr><tr><td>a</td><td></td></tr></table>", "a | "),
        (
            "<table><tr><td>a</td><td rowspan=3>tall</td></tr><tr><td>b</td></tr><tr></tr></table>",
            "a | tall\nb | tall\n | tall",
        ),
        ("no table at all", ""),
        ("<table><tr><td>unclosed", "unclosed"),
    ],
)
def test_rows(html: str, text: str) -> None:
    assert rows_text(table_rows(html)) == text


def test_a_table_set_in_blanks() -> None:
    assert rows_text(spaced_rows("  State     Permit   Long Gun\n\nAlabama      18,870\t\t 3\n")) == (
        "State | Permit | Long Gun\nAlabama | 18,870 | 3"
    )


def test_a_note_across_the_whole_table_stands_once() -> None:
    note = "All figures are in millions of dollars except where the table says otherwise."
    assert rows_text(table_rows(f"<table><tr><td colspan=4>{note}</td></tr></table>")) == note


def test_absurd_spans_are_cut() -> None:
    rows = table_rows("<table><tr><td colspan=99999999 rowspan=-3>x</td><td colspan=zwei>y</td></tr></table>")
    assert len(rows[0]) == 201


def test_a_table_that_claims_millions_of_cells_stops() -> None:
    html = "<table>" + "<tr>" + "<td colspan=200>x</td>" * 40 + "</tr>" * 1 + "</table>"
    assert sum(map(len, table_rows(html.replace("</table>", html[7:-8] * 100 + "</table>")))) <= 500_000
