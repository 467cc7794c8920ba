"""Entities and mentions from what was found in chunks."""

import re
from hashlib import sha256

import pytest

from core.documents.model import Chunk, Span
from core.graph.linking.linking import link
from core.graph.model import Entity, ExtractedName, Mention
from core.graph.naming import display_form, entity_id, folded


def chunk(number: int, text: str, *pages: int) -> Chunk:
    """A chunk whose text is spread evenly over the pages."""
    size = len(text) // max(1, len(pages)) + 1
    spans = tuple(
        Span(place * size, min((place + 1) * size, len(text)), place, page, None) for place, page in enumerate(pages)
    )
    return Chunk(f"c{number}", "d", number, text, (), spans)


def all_in(
    text: str, name: str, kind: str, confidence: float = 0.9, aliases: tuple[str, ...] = ()
) -> list[ExtractedName]:
    places = re.finditer(re.escape(name), text)
    return [ExtractedName(m.start(), m.end(), name, kind, confidence, aliases) for m in places]


def linked(*rows: tuple[str, list[ExtractedName]]) -> tuple[dict[str, Entity], tuple[Mention, ...]]:
    chunks = [chunk(number, text, number) for number, (text, _) in enumerate(rows)]
    entities, mentions = link("b", "d", chunks, [found for _, found in rows])
    assert [sum(m.entity_id == e.id for m in mentions) for e in entities] == [e.mentions for e in entities]
    return {entity.name: entity for entity in entities}, mentions


def test_case_width_and_white_space_do_not_make_another_entity() -> None:
    text = "Trace Tree, trace tree, trace tree, trace\u3000tree and ｔｒａｃｅ tree"
    found = [
        f
        for name in ("Trace Tree", "trace tree", "trace\u3000tree", "ｔｒａｃｅ tree")
        for f in all_in(text, name, "CONCEPT")
    ]
    entities, _ = linked((text, found))
    assert entities.keys() == {"trace tree"}
    assert entities["trace tree"].mentions == 5


def test_plural_possessive_article_and_hyphen_are_folded() -> None:
    text = "loop header; loop headers; the loop header; loop-header; loop header's"
    forms = text.split("; ")
    start = 0
    found = []
    for form in forms:
        found.append(ExtractedName(start, start + len(form), form, "CONCEPT", 0.9))
        start += len(form) + 2
    entities, _ = linked((text, found))
    (entity,) = entities.values()
    assert (entity.name, entity.mentions) == ("loop header", 5)
    assert set(entity.aliases) == {"loop headers", "the loop header", "loop-header"}


def test_one_name_has_the_type_that_most_evidence_speaks_for() -> None:
    first, second = "Washington is cold.", "Washington met Washington."
    found = all_in(first, "Washington", "LOCATION", 0.6), all_in(second, "Washington", "PERSON", 0.9)
    entities, mentions = linked((first, found[0]), (second, found[1]))
    assert entities["Washington"].type == "PERSON"
    assert len(mentions) == 3


def test_an_acronym_and_its_long_form_are_one_entity_under_the_usual_name() -> None:
    text = "A support vector machine (SVM) separates. The SVM is fast. SVMs are old."
    found = [
        *all_in(text, "support vector machine", "TECHNOLOGY", aliases=("SVM",)),
        ExtractedName(26, 29, "SVM", "CONCEPT", 0.9, ("support vector machine",)),
        ExtractedName(46, 49, "SVM", "CONCEPT", 0.9, ("support vector machine",)),
        ExtractedName(59, 63, "SVMs", "CONCEPT", 0.9),
    ]
    entities, mentions = linked((text, found))
    assert entities.keys() == {"SVM"}
    assert set(entities["SVM"].aliases) == {"support vector machine", "SVMs"}
    assert len(mentions) == 4


def test_an_acronym_of_two_things_joins_the_one_it_stands_for_more_often() -> None:
    text = "central bank CB, CB, cell body CB"
    found = [
        ExtractedName(0, 12, "central bank", "ORGANIZATION", 0.9, ("CB",)),
        ExtractedName(13, 15, "CB", "ORGANIZATION", 0.9, ("central bank",)),
        ExtractedName(17, 19, "CB", "ORGANIZATION", 0.9, ("central bank",)),
        ExtractedName(21, 30, "cell body", "CONCEPT", 0.9, ("CB",)),
        ExtractedName(31, 33, "CB", "CONCEPT", 0.9),
    ]
    entities, _ = linked((text, found))
    assert entities.keys() == {"CB", "cell body"}
    assert "central bank" in entities["CB"].aliases


def test_a_family_name_joins_the_only_person_who_bears_it() -> None:
    text = "Maria Lindqvist, Lindqvist, Lindqvist"
    found = [ExtractedName(0, 15, "Maria Lindqvist", "PERSON", 0.9)]
    found += [ExtractedName(start, start + 9, "Lindqvist", "PERSON", 0.6) for start in (17, 28)]
    entities, _ = linked((text, found))
    assert entities["Maria Lindqvist"].aliases == ("Lindqvist",)
    assert entities["Maria Lindqvist"].mentions == 3
    two = f"{text}, Nils Lindqvist"
    entities, _ = linked((two, [*found, ExtractedName(39, 53, "Nils Lindqvist", "PERSON", 0.9)]))
    assert entities.keys() == {"Maria Lindqvist", "Nils Lindqvist", "Lindqvist"}
    found = [ExtractedName(0, 8, "路德维希·普朗特", "PERSON", 0.9), ExtractedName(9, 12, "普朗特", "PERSON", 0.6)]
    entities, _ = linked(("路德维希·普朗特，普朗特", found))
    assert entities["路德维希·普朗特"].aliases == ("普朗特",)


def test_ids_follow_from_base_name_and_type() -> None:
    text = "Neural Networks"
    entities, mentions = linked((text, [ExtractedName(0, 15, "Neural Networks", "TECHNOLOGY", 0.9)]))
    entity = entities["Neural Networks"]
    assert entity.id == sha256(b"b\0neural network\0TECHNOLOGY").hexdigest()[:24]
    assert entity.id == entity_id("b", "neural network", "TECHNOLOGY")
    assert entity.id != entity_id("other", "neural network", "TECHNOLOGY")
    assert mentions[0].id == sha256(f"d\0c0\0{0}\0{15}\0{entity.id}".encode()).hexdigest()[:24]


def test_a_mention_has_the_page_under_it() -> None:
    text = "Rome is here. " + "x" * 100 + " Rome is there."
    two_pages = chunk(0, text, 4, 7)
    _, mentions = link("b", "d", [two_pages], [all_in(text, "Rome", "LOCATION")])
    assert [(m.page, m.surface) for m in mentions] == [(4, "Rome"), (7, "Rome")]
    _, bare = link("b", "d", [Chunk("c", "d", 0, text, (), ())], [all_in(text, "Rome", "LOCATION")])
    assert [m.page for m in bare] == [0, 0]


def test_the_same_stretch_counts_once() -> None:
    entities, mentions = linked(("Rome", all_in("Rome", "Rome", "LOCATION") * 2))
    assert entities["Rome"].mentions == len(mentions) == 1


def test_the_order_of_what_was_found_in_a_chunk_does_not_matter() -> None:
    text = "Ada met Bob in Rome. Ada and Bob left. Rom is no Rome."
    found = [
        f
        for name, kind in (("Ada", "PERSON"), ("Bob", "PERSON"), ("Rome", "LOCATION"))
        for f in all_in(text, name, kind)
    ]
    once = link("b", "d", [chunk(0, text, 0)], [found])
    again = link("b", "d", [chunk(0, text, 0)], [found[::-1]])
    assert set(once[0]) == set(again[0])
    assert once[1] == again[1]


def test_stretches_outside_the_text_and_empty_names_are_left_out() -> None:
    found = [
        ExtractedName(0, 99, "Rome", "LOCATION", 0.9),
        ExtractedName(2, 2, "x", "CONCEPT", 1.0),
        ExtractedName(0, 1, "\u200b", "CONCEPT", 1.0),
    ]
    assert link("b", "d", [chunk(0, "Rome", 0)], [found]) == ((), ())
    assert link("b", "d", [], []) == ((), ())


def test_chunks_and_rows_must_match() -> None:
    with pytest.raises(ValueError, match="zip"):
        link("b", "d", [chunk(0, "Rome", 0)], [])


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("The Neural  Networks", "neural network"),
        ("ＳＶＭ", "svm"),
        ("SVMs", "svm"),
        ("VMs", "vm"),
        ("AIDS", "aids"),
        ("analyses of physics", "analyses of physics"),
        ("data-mining", "data mining"),
        ("云岭灌区", "云岭灌区"),
        ("", ""),
    ],
)
def test_folding(name: str, key: str) -> None:
    assert folded(name) == key


def test_display_forms_are_one_clean_line() -> None:
    assert display_form("Harrow\n Valley\u200b's") == "Harrow Valley"
    assert display_form("\u202eevil\ud800\x00") == "evil"
    assert len(display_form("x" * 900)) == 200


@pytest.mark.parametrize(
    ("forms", "kind"),
    [
        (("TraceMonkey", "Trace-Monkey", "Trace Monkey"), "TECHNOLOGY"),
        (("Zorbax Wholesale Corporation", "Zorbax Wholesale Corp.", "Zorbax Wholesale"), "ORGANIZATION"),
        (("Richard A. Galanti", "Richard Galanti", "RICHARD GALANTI"), "PERSON"),
        (("临江水务有限公司", "临江水务"), "ORGANIZATION"),
        (("诸暨市", "诸暨"), "LOCATION"),
        (("臺灣大學", "台湾大学"), "ORGANIZATION"),
        (("林語堂", "林语堂"), "PERSON"),
        (("Daniel M. Harbours", "DANIEL M. HARBOURS"), "PERSON"),
        (("tide flows", "TIDE FLOWS"), "CONCEPT"),
    ],
)
def test_spellings_of_one_name_are_one_entity(forms: tuple[str, ...], kind: str) -> None:
    rows = [(form, [ExtractedName(0, len(form), form, kind, 0.9)]) for form in (*forms, *forms)]
    entities, mentions = linked(*rows)
    (entity,) = entities.values()
    assert len(mentions) == 2 * len(forms)
    assert {entity.name.lower(), *map(str.lower, entity.aliases)} == {form.lower() for form in forms}


@pytest.mark.parametrize(
    ("forms", "kind"),
    [
        (("C++", "C"), "TECHNOLOGY"),
        (("AIDS", "aids"), "CONCEPT"),
        (("John A. Smith", "John B. Smith", "John Smith"), "PERSON"),
        (("Zorbax Canada Ltd.", "Zorbax Wholesale Corp."), "ORGANIZATION"),
    ],
)
def test_names_that_only_look_alike_stay_apart(forms: tuple[str, ...], kind: str) -> None:
    entities, _ = linked(*((form, [ExtractedName(0, len(form), form, kind, 0.9)]) for form in forms))
    assert len(entities) == len(forms)


def test_an_acronym_finds_its_long_form_under_another_spelling() -> None:
    first, second = "Trace-Monkey Engine (TME)", "TraceMonkey Engine"
    found = [
        ExtractedName(0, 19, "Trace-Monkey Engine", "TECHNOLOGY", 0.9),
        ExtractedName(21, 24, "TME", "TECHNOLOGY", 0.9, (second,)),
    ]
    entities, _ = linked((first, found), (second, all_in(second, second, "TECHNOLOGY") * 1), (second, []))
    assert len(entities) == 1


@pytest.mark.parametrize(
    ("short", "long", "kinds"),
    [
        ("ECJ", "European Court of Justice", ("CONCEPT", "ORGANIZATION")),
        ("XML", "eXtensible Markup Language", ("TECHNOLOGY", "TECHNOLOGY")),
        ("EU", "European Union", ("ORGANIZATION", "ORGANIZATION")),
    ],
)
def test_an_acronym_that_is_never_explained_joins_the_one_name_it_can_stand_for(
    short: str, long: str, kinds: tuple[str, str]
) -> None:
    entities, mentions = linked((short, all_in(short, short, kinds[0])), (long, all_in(long, long, kinds[1])))
    assert len(entities) == 1
    assert len(mentions) == 2


@pytest.mark.parametrize(
    "rows",
    [
        (("EC", "CONCEPT"), ("European Commission", "ORGANIZATION")),
        (("IFT", "CONCEPT"), ("income from taxes", "CONCEPT")),
        (("TSA", "ORGANIZATION"), ("Tarn Steel Association", "ORGANIZATION"), ("Ta Sea Agency", "ORGANIZATION")),
        (("XML", "TECHNOLOGY"), ("XML Markup Library", "TECHNOLOGY")),
    ],
)
def test_an_acronym_stays_alone_where_it_may_stand_for_another_thing(rows: tuple[tuple[str, str], ...]) -> None:
    entities, _ = linked(*((name, all_in(name, name, kind)) for name, kind in rows))
    assert len(entities) == len(rows)


def test_an_acronym_that_the_text_explains_joins_no_other_name() -> None:
    text, other = "NSS (name service switch)", "Network Security Service"
    explained = all_in(text, "NSS", "TECHNOLOGY", aliases=("name service switch",))
    entities, _ = linked((text, explained), (other, all_in(other, other, "TECHNOLOGY")))
    assert entities.keys() == {"NSS", other}
