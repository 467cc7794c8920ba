"""The compact vocabulary answers as a dict does."""

from core.models.embedding.encoder.vocabulary import CompactVocabulary, tables_of

PIECES = {"▁the": 7, "▁th": 0, "海": 3, "海洋": 9, "ir": 5, "物": 6, "": 1}


def test_every_text_has_the_id_it_was_given() -> None:
    vocabulary = CompactVocabulary(tables_of(PIECES))

    assert {text: vocabulary.get(text) for text in PIECES} == PIECES


def test_two_texts_that_are_the_same_bytes_in_memory_are_told_apart() -> None:
    vocabulary = CompactVocabulary(tables_of({"ir": 5}))

    assert vocabulary.get("物") is None


def test_unknown_texts_have_none() -> None:
    vocabulary = CompactVocabulary(tables_of(PIECES))

    assert [vocabulary.get(text) for text in ("▁t", "洋", "irr", " ", "\ud800")] == [None] * 5
