"""What rows of tables and lists of subsidiaries state."""

from core.rulebook.relations.tables import said_in_rows
from tests.rulebook.relations.test_english import read

TABLE = (
    "Subsidiaries of [O Nordsee AG]\n\n"
    "Name | Jurisdiction\n[O Lund Shipping] | [L Norway]\n[O Berg Lines Ltd] | [L Ireland]\n"
)


def test_a_row_says_what_its_header_says_and_a_list_whose_subsidiaries_it_has() -> None:
    said = {(each.source.name, each.relation, each.target.name) for _, each in said_in_rows(*read(TABLE))}
    assert said == {
        ("Lund Shipping", "jurisdiction", "Norway"),
        ("Lund Shipping", "subsidiary of", "Nordsee AG"),
        ("Berg Lines Ltd", "jurisdiction", "Ireland"),
        ("Berg Lines Ltd", "subsidiary of", "Nordsee AG"),
    }


def test_a_heading_does_not_reach_over_other_text() -> None:
    text, names = read("Subsidiaries of [O Nordsee AG]\nSee the notes.\nName | Place\n[O Lund Shipping] | [L Norway]\n")
    assert {each.relation for _, each in said_in_rows(text, names)} == {"place"}


def test_a_cell_that_is_more_than_a_name_states_nothing() -> None:
    text, names = read("Name | Note\n[O Lund Shipping] | it was once a customer of [O Nordsee AG] and others\n")
    assert not list(said_in_rows(text, names))


def test_a_row_that_names_two_parties_does_not_tell_whose_its_further_columns_are() -> None:
    text, names = read(
        "Owner | Company | Share | Country\n"
        "[O Northwind Power] | [O Solvane] | 23 | [L Germany]\n"
        "[O Oakfield Partners] | Karsten | 40 | [L Norway]\n"
    )
    assert not list(said_in_rows(text, names))
