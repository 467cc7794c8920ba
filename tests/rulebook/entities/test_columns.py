"""Types of names in the columns of tables."""

from core.graph.model import LOCATION, ORGANIZATION, PERSON, ExtractedName
from core.rulebook.entities.columns import typed_by_column

TEXTS = [
    "Ward | Seats\nOak Ward | 2\nElm Ward | 1\nAsh Ward | 1\n\nElm Ward met.",
    "Ward | Seats\nBay Ward | 1\nFir Ward in Elm Ward | 3\n\nTeam | Seats\nAsh Ward | 5",
]


def names(text: str, *found: tuple[str, str, float]) -> list[ExtractedName]:
    """The next mention of each, with its type and confidence."""
    rows, at = [], 0
    for name, kind, confidence in found:
        at = text.index(name, at)
        rows.append(ExtractedName(at, at + len(name), name, kind, confidence))
        at += len(name)
    return rows


def test_a_cell_has_the_type_of_its_column_where_that_of_its_name_is_not_sure() -> None:
    first = names(
        TEXTS[0],
        ("Oak Ward", LOCATION, 0.7),
        ("Elm Ward", PERSON, 0.6),
        ("Ash Ward", ORGANIZATION, 0.95),
        ("Elm Ward", PERSON, 0.6),
    )
    other = names(TEXTS[1], ("Bay Ward", LOCATION, 0.8), ("Fir Ward", PERSON, 0.5), ("Ash Ward", ORGANIZATION, 0.5))
    typed = typed_by_column(TEXTS, [first, other])
    assert [(each.name, each.type) for each in typed[0]] == [
        ("Oak Ward", LOCATION),
        ("Elm Ward", LOCATION),
        ("Ash Ward", ORGANIZATION),
        ("Elm Ward", PERSON),
    ]
    assert [each.type for each in typed[1]] == [LOCATION, PERSON, ORGANIZATION]


def test_names_of_texts_without_tables_stay() -> None:
    row = names("Oak Ward met Elm Ward.", ("Oak Ward", LOCATION, 0.7), ("Elm Ward", PERSON, 0.3))
    assert typed_by_column(["Oak Ward met Elm Ward."], [row]) == [row]
