"""Whose part of a shared answer is whose."""

from core.documents.extraction.langextract.extractor import shares
from core.documents.extraction.langextract.form import ExtractionForm, ListedNames, Stated
from core.documents.extraction.span_alignment import SoughtName
from core.graph.model import ENTITY_TYPES

ANSWER = ListedNames(
    (SoughtName("Maria Lindqvist", "PERSON"), SoughtName("HVWB", "ORGANIZATION"), SoughtName("润禾", "TECHNOLOGY")),
    (Stated("leads", "Maria Lindqvist", "HVWB"), Stated("uses", "HVWB", "润禾")),
)
TEXTS = ("Maria Lindqvist leads the HVWB.", "润禾 is quoted to nobody.", "The HVWB has eleven reservoirs.")


def test_each_text_gets_the_names_that_stand_in_it_and_relations_between_them() -> None:
    first, second, third = shares(ANSWER, TEXTS)
    assert [name.text for name in first.names] == ["Maria Lindqvist", "HVWB"]
    assert first.relations == (Stated("leads", "Maria Lindqvist", "HVWB"),)
    assert ([name.text for name in second.names], second.relations) == (["润禾"], ())
    assert ([name.text for name in third.names], third.relations) == (["HVWB"], ())


def test_a_name_that_was_answered_in_other_words_goes_to_the_text_that_is_most_like_it() -> None:
    answer = ListedNames((SoughtName("Mr Viktor Brandt Harrow", "PERSON"), SoughtName("Nobody At All", "PERSON")), ())
    first, second = shares(answer, ("Viktor Brandt of Harrow spoke.", "The inflow rose."))
    assert [name.text for name in first.names] == ["Mr Viktor Brandt Harrow"]
    assert second.names == ()


def test_what_is_stored_reads_as_what_was_answered() -> None:
    form = ExtractionForm(ENTITY_TYPES, "en")
    assert form.read(form.written(ANSWER)) == ANSWER
    assert form.read(form.written(ListedNames((), ()))) == ListedNames((), ())
