"""Ligatures that a font maps to another sign are restored where the words are known, and nothing is guessed."""

from pathlib import Path

import pytest

from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.reading.inspection import OcrMode
from core.documents.reading.word_repair import repairs
from tests.documents import made_files
from tests.fakes.parsing import Never, ignore

KNOWN = {"difficulties", "official", "offcial", "scientific", "effect", "conflict", "offshore"}


def repaired(*words: str, font: str = "Times") -> dict[str, str]:
    return repairs([(font, word) for word in words], KNOWN.__contains__)


def test_a_sign_that_makes_words_as_one_ligature_alone_is_that_ligature() -> None:
    assert repaired("di!culties", "o!cial", "Bo!kin") == {"di!culties": "difficulties", "o!cial": "official"}


@pytest.mark.parametrize(
    "words",
    [("o!shore", "con!ict"), ("o!cial",), ("Bo!kin",), ("yes!no",), ("of.course",), ("e-ect",)],
    ids=["signs of two ligatures", "two words", "no word", "punctuation", "a stop", "a hyphen"],
)
def test_what_is_not_sure_is_left_as_it_is(words: tuple[str, ...]) -> None:
    assert repairs([("Times", word) for word in words], {*KNOWN, "ofcial", "offlcial"}.__contains__) == {}


def test_each_font_has_signs_of_its_own() -> None:
    found = [("Times", "di!culties"), ("Helvetica", "Scienti!c")]
    assert repairs(found, KNOWN.__contains__) == {"di!culties": "difficulties", "Scienti!c": "Scientific"}
    assert repairs([("Times", "di!culties"), ("Times", "Scienti!c")], KNOWN.__contains__) == {}


def test_the_words_of_a_pdf_are_those_that_its_page_shows(tmp_path: Path) -> None:
    lines = (
        ("Helvetica", "Scienti~c Notes on the Harbour"),
        ("Times", "The work met di~culties at the pier, and the o~cial answer was not e~cient enough!"),
        ("Times", "The name of the clerk was Bo~kin, he said."),
    )
    path = tmp_path / "notes.pdf"
    path.write_bytes(made_files.wrong_ligatures(lines))
    parser = DocvortexParser(tmp_path / "work", OcrMode.OFF)
    text = " ".join(block.text for block in parser.parse(path, path.name, "", Never(), ignore).blocks)
    assert "Scientific Notes" in text
    assert "met difficulties at the pier, and the official answer was not efficient enough!" in text
    assert "Bo!kin" in text
