"""Acronyms with what they stand for."""

import pytest

from core.rulebook.entities.acronyms import find_pairs, is_acronym


def pairs(text: str) -> list[tuple[str, str]]:
    return [(text[slice(*pair.long)], text[slice(*pair.short)]) for pair in find_pairs(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("We train a support vector machine (SVM).", [("support vector machine", "SVM")]),
        ("the Association for Computational Linguistics (ACL)", [("Association for Computational Linguistics", "ACL")]),
        ("Support Vector Machines (SVMs) work", [("Support Vector Machines", "SVMs")]),
        ("long short-term memory ( LSTM ) cells", [("long short-term memory", "LSTM")]),
        ("the SVM (support vector machine)", [("support vector machine", "SVM")]),
        ("World Health Organization (WHO; Geneva)", [("World Health Organization", "WHO")]),
        ("Notes of the Marlow Institute (NMI)", [("Notes of the Marlow Institute", "NMI")]),
        ("Texts of the Marlow Institute (TMI)", [("Texts of the Marlow Institute", "TMI")]),
        ("it failed (NASA) again", []),
        ("in the end (see Table 3)", []),
        ("red apples. Green pears (GP)", [("Green pears", "GP")]),
    ],
)
def test_pairs(text: str, expected: list[tuple[str, str]]) -> None:
    assert pairs(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"), [("SVM", True), ("SVMs", True), ("NaCl", True), ("Anna", False), ("X", False)]
)
def test_what_counts_as_an_acronym(text: str, expected: bool) -> None:
    assert is_acronym(text) is expected
