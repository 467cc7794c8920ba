"""What every Extractor does."""

import pytest

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.ports.extraction import Extractor
from core.models.tagging.entity_tagger import OnnxEntityTagger

TEXTS = (
    "Maria Lindqvist leads the Harrow Valley Water Board (HVWB) in Northmere.",
    "",
    "云岭灌区管理局位于临江市，负责人为周启明。",
    "Mixed:\nThe HVWB uses EskFlow.\n灌区也使用EskFlow系统。",
    "\x00\ud800 \u202e weird ⁂ ﷽",
)


@pytest.fixture
def extractor() -> Extractor:
    return BuiltinExtractor(OnnxEntityTagger())


def test_one_row_a_text_spans_aligned_in_order_without_overlap(extractor: Extractor) -> None:
    rows = extractor.extract(TEXTS)
    assert len(rows) == len(TEXTS)
    for text, row in zip(TEXTS, rows, strict=True):
        position = 0
        for entity in row:
            assert position <= entity.start < entity.end <= len(text)
            assert " ".join(text[entity.start : entity.end].split()) == entity.name
            assert 0 < entity.confidence <= 1
            assert entity.type
            position = entity.end


def test_it_finds_what_a_reader_would_name(extractor: Extractor) -> None:
    found = {entity.name: entity.type for row in extractor.extract(TEXTS) for entity in row}
    assert found["Maria Lindqvist"] == "PERSON"
    assert found["Harrow Valley Water Board"] == found["云岭灌区管理局"] == "ORGANIZATION"
    assert found["周启明"] == "PERSON"
    assert found["临江市"] == "LOCATION"
    assert found["EskFlow"] == "TECHNOLOGY"


def test_the_same_document_gives_the_same_entities(extractor: Extractor) -> None:
    assert extractor.extract(TEXTS) == extractor.extract(TEXTS)


def test_nothing_in_nothing_out(extractor: Extractor) -> None:
    assert extractor.extract([]) == []
    assert extractor.extract(["", "  \n"]) == [[], []]


def test_a_hostile_text_takes_no_long_time(extractor: Extractor) -> None:
    texts = ["A " * 10_000, "(" * 10_000, "Aa1-" * 5_000, "王" * 5_000, "·阿" * 2_500, "《“" * 2_500, "AB (" * 2_500]
    assert len(extractor.extract(texts)) == len(texts)
