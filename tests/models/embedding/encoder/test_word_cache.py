"""Vectors of words and sentences in files: found again by another process, bounded, and without a word in them."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.embedding.encoder import word_cache as kept_words
from core.models.embedding.encoder.word_cache import MAX_CHARACTERS, KeptSentences, KeptWords, is_word


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kept_words, "AT_ONCE", 1)
    return tmp_path / "cache" / "test.words"


def _vectors(*words: str) -> dict[str, Any]:
    return {word: np.random.default_rng(len(word)).random(8, dtype=np.float32) for word in words}


def test_what_is_kept_is_found_by_others_bit_by_bit(path: Path) -> None:
    given = _vectors("kelp", "潮汐", "\ud800")
    KeptWords(path).keep(given)
    found = KeptWords(path).find([*given, "unknown"])
    assert {word: vector.tolist() for word, vector in found.items()} == {w: v.tolist() for w, v in given.items()}


def test_few_are_written_with_later_ones(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_words, "AT_ONCE", 3)
    words, given = KeptWords(path), _vectors("kelp", "tide", "buoy")
    words.keep({word: given[word] for word in ("kelp", "tide")})
    assert KeptWords(path).find(given) == {}
    words.keep({"buoy": given["buoy"]})
    assert KeptWords(path).find(given).keys() == given.keys()


def test_the_older_half_is_forgotten(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_words, "MOST", 10)
    words, given = KeptWords(path), _vectors(*map(str, range(11)))
    for word, vector in given.items():
        words.keep({word: vector})
    assert words.find(given).keys() == {"6", "7", "8", "9", "10"}


def test_no_word_can_be_read_in_it(path: Path) -> None:
    words = KeptWords(path)
    words.keep(_vectors("confidential"))
    assert not [each for each in path.parent.iterdir() if b"confidential" in each.read_bytes()]


def test_the_vector_of_a_sentence_is_read_only_by_who_has_the_sentence(path: Path) -> None:
    given = _vectors("The gauge of Norhaven reads 80 cm.")
    KeptSentences(path).keep(given)
    found = KeptSentences(path).find(given)
    assert {text: vector.tolist() for text, vector in found.items()} == {t: v.tolist() for t, v in given.items()}
    stored = KeptWords(path).find(given)
    assert all(stored[text].tobytes() != vector.tobytes() for text, vector in given.items())


def test_a_damaged_file_is_thrown_away_and_made_anew(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database" * 1_000)
    words, given = KeptWords(path), _vectors("kelp")
    assert words.find(given) == {}
    words.keep(given)
    assert words.find(given).keys() == given.keys()


def test_a_folder_that_cannot_be_written_holds_nothing(tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("a file")
    words, given = KeptWords(tmp_path / "cache" / "test.words"), _vectors("kelp")
    words.keep(given)
    assert words.find(given) == {}


@pytest.mark.parametrize(("text", "kept"), [("kelp", True), ("tide gauge", False), ("x" * (MAX_CHARACTERS + 1), False)])
def test_sentences_are_no_words(text: str, kept: bool) -> None:
    assert is_word(text) is kept
