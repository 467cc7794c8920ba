"""What English sentences state of the names in them."""

import re

import pytest

from core.graph.model import ExtractedName
from core.rulebook.relations.chinese_segmentation import dictionary
from core.rulebook.relations.stated import stated_in

TYPES = {"O": "ORGANIZATION", "P": "PERSON", "L": "LOCATION", "T": "TECHNOLOGY"}


def read(marked: str) -> tuple[str, list[ExtractedName]]:
    """Names are written [O Nordsee AG]."""
    text, names = "", []
    for piece in re.split(r"(\[[OPLT] [^\]]+\])", marked):
        if piece.startswith("["):
            name = piece[3:-1]
            names.append(ExtractedName(len(text), len(text) + len(name), name, TYPES[piece[1]], 0.9))
            piece = name
        text += piece
    return text, names


def told(marked: str) -> set[tuple[str, str, str]]:
    text, names = read(marked)
    by_place = {(0, each.start, each.end): each.name for each in names}
    return {
        (by_place[said.source], said.relation, by_place[said.target]) for said in stated_in([text], [names], dictionary)
    }


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("[O Nordsee AG] acquired [O Lund Shipping] in 2017.", ("Nordsee AG", "acquire", "Lund Shipping")),
        ("[O Lund Shipping] was acquired by [O Nordsee AG].", ("Nordsee AG", "acquire", "Lund Shipping")),
        ("[O Lund Shipping] was founded in [L Bergen].", ("Lund Shipping", "founded in", "Bergen")),
        ("[O Lund Shipping], founded by [P Ida Holm], grew.", ("Ida Holm", "found", "Lund Shipping")),
        ("[P Ida Holm], chief executive of [O Nordsee AG], spoke.", ("Ida Holm", "chief executive of", "Nordsee AG")),
        ("[O Nordsee AG] CEO [P Ida Holm] resigned.", ("Ida Holm", "CEO of", "Nordsee AG")),
        ("[O Nordsee AG]'s chairman, [P Ola Berg], resigned.", ("Ola Berg", "chairman of", "Nordsee AG")),
        ("[O Lund Shipping] is a subsidiary of [O Nordsee AG].", ("Lund Shipping", "subsidiary of", "Nordsee AG")),
        (
            "In May [O Lund Foods], Inc., a subsidiary of [O Nordsee], received a notice.",
            ("Lund Foods", "subsidiary of", "Nordsee"),
        ),
        ("[O Lund Foods], now a subsidiary of [O Nordsee], grew.", ("Lund Foods", "subsidiary of", "Nordsee")),
        ("[P Ida Holm] works for [O Nordsee AG].", ("Ida Holm", "work for", "Nordsee AG")),
        ("[P Ida Holm] joined the board of [O Nordsee AG].", ("Ida Holm", "join board of", "Nordsee AG")),
        ("[O Nordsee AG], which operates in [L Spain], grew.", ("Nordsee AG", "operate in", "Spain")),
        ("The capital of [L France] is [L Paris].", ("Paris", "capital of", "France")),
        ("[O Nordsee AG] said it acquired [O Lund Shipping].", ("Nordsee AG", "acquire", "Lund Shipping")),
        ("The [L Bergen]-based [O Lund Shipping] grew.", ("Lund Shipping", "based in", "Bergen")),
        ("[O Nordsee AG] sold ships to [O Lund Shipping].", ("Nordsee AG", "sell ships to", "Lund Shipping")),
        ("[O Lund Shipping] has grown and is led by [P Ida Holm].", ("Ida Holm", "lead", "Lund Shipping")),
        ("[P Ida Holm] moved to [O Lund College], where she taught.", ("Ida Holm", "teach at", "Lund College")),
        ("It is an agreement between [O Lund] and [O Nordsee].", ("Lund", "agreement with", "Nordsee")),
        (
            "[O Lund Shipping]'s debts are guaranteed by [O Nordsee].",
            ("Nordsee", "guarantee debts of", "Lund Shipping"),
        ),
        ("[P Ida Holm] nominated [P Ola Berg] to be elected.", ("Ida Holm", "nominate", "Ola Berg")),
        ("[O Nordsee AG]'s brands include [O Lund Shipping].", ("Lund Shipping", "brands of", "Nordsee AG")),
        ("[O Berg Lines] of [L Bergen] grew.", ("Berg Lines", "of", "Bergen")),
    ],
)
def test_what_is_stated(sentence: str, expected: tuple[str, str, str]) -> None:
    assert expected in told(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "[O Nordsee AG] did not acquire [O Lund Shipping].",
        "[O Nordsee AG] never owned [O Lund Shipping].",
        "[O Nordsee AG] plans to acquire [O Lund Shipping].",
        "[O Nordsee AG] might acquire [O Lund Shipping].",
        "[O Nordsee AG] denied that it acquired [O Lund Shipping].",
        "Neither [O Nordsee AG] nor [O Berg Lines] acquired [O Lund Shipping].",
        "If [O Nordsee AG] acquires [O Lund Shipping], prices rise.",
        "[O Nordsee AG] reportedly acquired [O Lund Shipping].",
        "Has [O Nordsee AG] acquired [O Lund Shipping]?",
        "[O Lund Foods], not a subsidiary of [O Nordsee], grew.",
        "In May [O Lund Foods], Inc., no longer a subsidiary of [O Nordsee], grew.",
        "[O Lund Foods], once a subsidiary of [O Nordsee], grew.",
        "[O Lund Foods], formerly a subsidiary of [O Nordsee], grew.",
        "[O Lund Foods], possibly a subsidiary of [O Nordsee], grew.",
        "[P Ida Holm], then chief executive of [O Nordsee], spoke.",
        "[P Ida Holm], no longer chief executive of [O Nordsee], spoke.",
        "[O Lund Foods] is no longer a subsidiary of [O Nordsee].",
        "[O Nordsee AG] no longer owns [O Lund Shipping].",
        "[O Nordsee AG] talked about the proposed purchase of [O Lund Shipping].",
    ],
)
def test_what_is_denied_planned_or_asked_is_no_fact(sentence: str) -> None:
    assert not told(sentence)


def test_and_joins_subjects_and_objects() -> None:
    assert told("[O Nordsee AG] owns [O Lund Shipping] and [O Berg Lines].") >= {
        ("Nordsee AG", "own", "Lund Shipping"),
        ("Nordsee AG", "own", "Berg Lines"),
    }


def test_a_pronoun_stands_for_the_subject_before() -> None:
    said = told("[O Nordsee AG] was founded in [L Bergen]. It owns [O Lund Shipping].")
    assert ("Nordsee AG", "own", "Lund Shipping") in said


def test_a_relation_comes_with_its_sentence() -> None:
    text, names = read("Rain fell. [O Nordsee AG] owns [O Lund Shipping]. Then it stopped.")
    (found,) = stated_in(["", text], [[], names], dictionary)
    assert found.source == (1, names[0].start, names[0].end)
    assert found.sentence is not None
    number, start, end = found.sentence
    assert (number, text[start:end]) == (1, "Nordsee AG owns Lund Shipping.")
