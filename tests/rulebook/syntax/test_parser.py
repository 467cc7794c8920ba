"""The parser reads sentences as spaCy does with the same weights."""

import json
from pathlib import Path
from typing import Any

import pytest

from core.rulebook.syntax.moves import parse
from core.rulebook.syntax.network import network, number_of
from core.rulebook.syntax.parser import LONGEST, parsed
from core.rulebook.syntax.verbs import verb_of, verbs_of

PARSED: list[dict[str, Any]] = [
    json.loads(line)
    for line in Path(__file__).with_name("parsed_by_spacy.jsonl").read_text(encoding="utf-8").splitlines()
]
"""Sentences of Text2KGBench (CC BY 4.0), read by spaCy 3.8.18 with en_core_web_sm 3.8.0."""


def test_heads_labels_and_tags_are_those_of_spacy() -> None:
    weights = network()
    spelt = [list(zip(row["words"], map("1".__eq__, row["spaces"]), strict=True)) for row in PARSED]
    vectors, starts = weights.encode(spelt)
    readings = parse(weights, vectors, starts, [len(row["words"]) for row in PARSED])
    tags = weights.tags_of(vectors)
    for row, reading, start in zip(PARSED, readings, starts, strict=True):
        assert reading.heads == row["heads"]
        assert reading.labels == row["labels"]
        assert tags[start : start + len(reading.heads)] == row["tags"]


def test_words_are_split_as_the_weights_were_trained() -> None:
    text = "Dr. Ames didn't join Nordsee's board, AT&T and U.S.-based Lund Inc. paid $1,200."
    (words,) = parsed([(text, (0, len(text)))])
    assert [word.text for word in words] == (
        [
            "Dr.",
            "Ames",
            "did",
            "n't",
            "join",
            "Nordsee",
            "'s",
            "board",
            ",",
            "AT&T",
            "and",
            "U.S.",
            "-",
            "based",
            "Lund",
            "Inc.",
            "paid",
            "$",
            "1,200",
            ".",
        ]
    )


def test_a_sentence_has_one_root_and_every_other_word_a_head() -> None:
    text = "The harbour of Lund was built by Ida Holm in 1910. Who knows?"
    for words in parsed([(text, (0, 50)), (text, (51, len(text)))]):
        assert [word.head for word in words].count(-1) == 1


def test_a_sentence_of_too_many_words_is_left_out() -> None:
    text = "word " * (LONGEST + 1)
    assert parsed([(text, (0, len(text)))]) == [[]]


@pytest.mark.parametrize(
    ("form", "tag", "verb"),
    [
        ("acquired", "VBD", "acquire"),
        ("bought", "VBD", "buy"),
        ("led", "VBN", "lead"),
        ("founded", "VBN", "found"),
        ("running", "VBG", "run"),
        ("supplies", "VBZ", "supply"),
        ("own", "VBP", "own"),
        ("zorped", "VBD", "zorped"),
        ("'s", "VBZ", "be"),
        ("'s", "POS", "'s"),
    ],
)
def test_forms_of_verbs(form: str, tag: str, verb: str) -> None:
    assert verb_of(form, tag) == verb


def test_phrases_are_equal_but_for_the_forms_of_their_verbs() -> None:
    assert verbs_of("has acquired") == verbs_of("Acquires") == verbs_of("acquire")
    assert verbs_of("is based in") == verbs_of("based in") != verbs_of("based on")


def test_numbers_of_strings_are_those_of_the_training() -> None:
    assert number_of("") == 0
    assert number_of("verb") == 6360137228241296794
