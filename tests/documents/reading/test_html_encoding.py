"""HTML is read in its encoding, wherever that is declared."""

from pathlib import Path

import pytest

from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.reading.inspection import OcrMode
from tests.fakes.parsing import Never, ignore

TITLE, DECLARED = "<title>宽柄中学校规</title>", '<meta charset="UTF-8">'


@pytest.mark.parametrize("head", [TITLE + DECLARED, DECLARED + TITLE, TITLE])
def test_a_page_in_utf_8_is_read_wherever_it_says_so(tmp_path: Path, head: str) -> None:
    path = tmp_path / "rules.html"
    path.write_text(f"<head>{head}</head><h1>校规</h1><p>请假须先申请。</p>", encoding="utf-8")
    parsed = DocvortexParser(tmp_path / "work", OcrMode.OFF).parse(path, path.name, "", Never(), ignore)
    assert [block.text for block in parsed.blocks] == ["校规", "请假须先申请。"]
    assert parsed.title == "宽柄中学校规"
