"""The bridge on real results of MinerU: nothing lost, every chunk's text stands in its blocks and boxes."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from core.documents.ports.parsing import Parsed
from core.documents.reading.assemble import FORMULA, assemble
from core.documents.reading.blocks import FURNITURE
from core.documents.reading.chunk import chunk_pieces
from core.documents.reading.content_list import entries_of, listed
from core.documents.reading.result_import import ResultImport
from tests.fakes.parsing import Never, ignore

SAMPLES = {
    "en_contract_mineru3_pipeline": (2, "Signed by"),
    "en_financial_mineru3_pipeline": (3, "Line Item"),
    "en_selfmade_mineru4_flash": (2, "Tarn Beck catchment"),
    "en_workflow_mineru3_pipeline": (2, ""),
    "mixed_vlm_shape_mineru3_renderer": (2, "率定曲线"),
    "zh_office_docx_mineru3": (3, ""),
    "zh_ragflow_page_chrome": (2, "安全提示"),
    "zh_selfmade_mineru4_flash": (2, "东湾泵站 | 沱溪 | 2020 | 临江水务公司"),
}


def sample(shared_data: Path, name: str) -> Path:
    (path,) = (shared_data / "mineru_samples" / name).glob("*_content_list.json")
    return path


def parsed(path: Path) -> Parsed:
    return ResultImport().parse(path, path.name, "", Never(), ignore)


def words_of(value: Any) -> Iterator[str]:
    """Every run of letters in the texts of an entry that people read."""
    if isinstance(value, list):
        for item in value:
            yield from words_of(item)
    elif isinstance(value, str):
        yield from (word for word in value.split() if word.isalpha())


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_sample_becomes_chunks_whose_text_stands_in_their_blocks(shared_data: Path, name: str) -> None:
    pages, phrase = SAMPLES[name]
    found = parsed(sample(shared_data, name))
    pieces = assemble(found.blocks)
    text = "\n\n".join(piece.text for piece in pieces)
    chunks = chunk_pieces("document", pieces)
    assert (found.pages, found.notes) == (pages, ())
    assert phrase in text
    assert chunks
    for chunk in chunks:
        assert chunk.spans
        for span in chunk.spans:
            block = found.blocks[span.block]
            said = " ".join(chunk.text[span.start : span.end].split())
            assert said in (FORMULA, " ".join(block.text.split())) or said in " ".join(block.text.split())
            assert (span.page, span.box) == (block.page, block.box)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_word_of_a_sample_is_lost(shared_data: Path, name: str) -> None:
    path = sample(shared_data, name)
    found = parsed(path)
    kept = " ".join(block.text for block in found.blocks)
    for entry in json.loads(path.read_text(encoding="utf-8")):
        for field in ("text", "list_items", "table_caption", "table_footnote", "image_caption", "chart_caption"):
            if entry["type"] not in ("equation", *FURNITURE):
                assert [word for word in words_of(entry.get(field)) if word not in kept] == []


def test_the_two_renderings_of_4_x_agree(shared_data: Path) -> None:
    folder = shared_data / "mineru_samples" / "en_selfmade_mineru4_flash"
    structured = listed(entries_of(json.loads((folder / "structured_content.json").read_text("utf-8")), "s"))
    rendered = listed(json.loads(sample(shared_data, folder.name).read_text("utf-8")))
    assert [(b.page, b.text, b.level) for b in structured.blocks] == [
        (b.page, b.text, b.level) for b in rendered.blocks
    ]
