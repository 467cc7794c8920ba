"""A summary is the heading of what its details hold, in the HTML files that the parser reads."""

from pathlib import Path

from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.reading.inspection import OcrMode
from core.documents.reading.markup import headed_html
from tests.fakes.parsing import Never, ignore

PAGE = """<html><head><meta charset="utf-8"><title>Questions</title></head><body><h1>Fragen</h1><h2>Miete für Boote</h2>
<details><summary>How do I <b>pay</b>?</summary><p>By transfer.</p>
<details open><summary>And at night?</summary><p>Nobody pays at night.</p></details></details>
<h2>Schlüssel</h2><p>The keys.</p></body></html>"""


def test_summaries_of_a_page_are_sections(tmp_path: Path) -> None:
    path = tmp_path / "faq.html"
    path.write_text(PAGE, encoding="utf-8")
    parsed = DocvortexParser(tmp_path / "work", OcrMode.OFF).parse(path, path.name, "", Never(), ignore)
    assert [(block.level, block.text) for block in parsed.blocks] == [
        (1, "Fragen"),
        (2, "Miete für Boote"),
        (3, "How do I pay?"),
        (0, "By transfer."),
        (4, "And at night?"),
        (0, "Nobody pays at night."),
        (2, "Schlüssel"),
        (0, "The keys."),
    ]


def test_a_page_without_any_stays_as_it_is() -> None:
    page = "<script>s = '<details><summary>No</summary>'</script><!-- <summary>No</summary> --><p>für 中文".encode()
    assert headed_html(page) == page
