"""What texts state of an entity that a sentence does not name."""

import pytest

from core.rulebook.relations.chinese_segmentation import dictionary
from core.rulebook.relations.stated import stated_in
from tests.rulebook.relations.test_english import read


def told(*marked: str) -> set[tuple[str, str, str]]:
    """Of a document in several texts."""
    texts, found = zip(*map(read, marked), strict=True)
    names = {(number, each.start, each.end): each.name for number, row in enumerate(found) for each in row}
    stated = stated_in(texts, found, dictionary)
    return {(names[each.source], each.relation, names[each.target]) for each in stated}


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (
            ["[O Harrow Museum] has moved.\n\nThe museum is supported by [O Lund Shipping]."],
            ("Lund Shipping", "support", "Harrow Museum"),
        ),
        (["[O Lund Inc.] grew.\n\nThe company bought [O Berg]."], ("Lund Inc.", "buy", "Berg")),
        (["[O Lund] grew. The company bought [O Berg]."], ("Lund", "buy", "Berg")),
        (
            ['[O Lund Trading], a firm in [L Oslo] (the "Tenant"), signed.', "The Tenant acquired [O Berg]."],
            ("Lund Trading", "acquire", "Berg"),
        ),
        (["[O Lund Shipping]\n\nFor 20 years we have owned [O Berg]."], ("Lund Shipping", "own", "Berg")),
        (["Life of [P Ida Holm]\n\nBorn at sea.", "She joined [O Berg] in 1990."], ("Ida Holm", "join", "Berg")),
        (["[P Ida Holm], who brought her son [P Ola Berg], spoke."], ("Ola Berg", "son of", "Ida Holm")),
    ],
)
def test_what_is_stated(texts: list[str], expected: tuple[str, str, str]) -> None:
    assert expected in told(*texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["[O Harrow Museum] has moved.\n\nThe new museum is supported by [O Lund Shipping]."],
        ["[O Harrow Museum] has moved.\n\nA museum was bought by [O Lund Shipping]."],
        ["[O Lund Shipping]\n\n“We have owned [O Berg] since 1990,” she said."],
    ],
)
def test_another_thing_is_not_taken_for_what_was_named(texts: list[str]) -> None:
    assert not told(*texts)


def test_lines_with_a_key_tell_of_the_heading_above_them() -> None:
    said = told(
        "[O Lund Shipping]\n\nHeadquarters: [L Oslo]\nFounders | [P Ida Holm], [P Ola Berg]\nNote: see [O Berg] too\n"
    )
    assert said == {
        ("Lund Shipping", "headquarters", "Oslo"),
        ("Lund Shipping", "founders", "Ida Holm"),
        ("Lund Shipping", "founders", "Ola Berg"),
    }


def test_entries_of_a_list_tell_where_persons_belong() -> None:
    said = told(
        "Present: [P Ida Holm], director, [O Lund Shipping]; [P Ola Berg] ([O Berg Lines]); [P Al Ek], see, [O Lund]\n"
    )
    assert said == {("Ida Holm", "director of", "Lund Shipping"), ("Ola Berg", "of", "Berg Lines")}
