"""What the English rules find: names, types, terms, mentions, and what they leave alone."""

from itertools import pairwise

from core.graph.model import ExtractedName
from core.rulebook.entities.english.extractor import extract_english


def found(*texts: str) -> list[ExtractedName]:
    rows = extract_english(texts, [[] for _ in texts])
    for text, row in zip(texts, rows, strict=True):
        for entity in row:
            assert " ".join(text[entity.start : entity.end].split()) == entity.name
        assert all(left.end <= right.start for left, right in pairwise(row))
    return [entity for row in rows for entity in row]


def names(*texts: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in found(*texts)}


def test_types_follow_from_the_words_of_a_name() -> None:
    text = (
        "In March Maria Lindqvist left the University of Northmere, crossed the Tarn River and joined"
        " Hydro Systems Ltd. She writes Python."
    )
    assert names(text) == {
        "Maria Lindqvist": "PERSON",
        "University of Northmere": "ORGANIZATION",
        "Tarn River": "LOCATION",
        "Hydro Systems Ltd.": "ORGANIZATION",
        "Python": "TECHNOLOGY",
    }


def test_types_follow_from_the_words_around_a_name() -> None:
    assert names("The library Quarkdown renders pages.")["Quarkdown"] == "TECHNOLOGY"
    assert names("The talk was held near Brindlewick in May.")["Brindlewick"] == "LOCATION"
    assert names("They live in the old town of Brindlewick.")["Brindlewick"] == "LOCATION"
    assert names("It was shown that professor Ostrava agreed.")["Ostrava"] == "PERSON"
    assert names("It belongs to Tarnlow (1879-1955) and others.")["Tarnlow"] == "PERSON"


def test_a_sentence_start_alone_is_no_name() -> None:
    text = "However, results vary. Proceedings were long. Specifically, tables help. Results of the test follow."
    assert names(text) == {}


def test_a_word_the_document_mostly_writes_small_is_no_name() -> None:
    assert "Guards" not in names("We add guards. The guards fail. Some guards exit. Guards are checked by Anna Berg.")


def test_roles_and_honorifics_stay_outside_the_name() -> None:
    assert names("Yesterday President Elena Marlow met Dr. Tom Fisk, and CEO Ann Reed left.") == {
        "Elena Marlow": "PERSON",
        "Tom Fisk": "PERSON",
        "Ann Reed": "PERSON",
    }


def test_complements_belong_to_the_name() -> None:
    text = (
        "She joined the American Association for the Advancement of Science, won the Prize in Physiology or Medicine"
        " and left the Department of Physics and Astronomy."
    )
    assert names(text) == {
        "American Association for the Advancement of Science": "ORGANIZATION",
        "Prize in Physiology or Medicine": "CONCEPT",
        "Department of Physics and Astronomy": "ORGANIZATION",
    }


def test_two_names_joined_by_and_stay_two() -> None:
    assert names("They visited Northmere College and Tarnlow College.").keys() == {
        "Northmere College",
        "Tarnlow College",
    }


def test_a_possessive_is_no_part_of_the_name() -> None:
    assert "Lindqvist" in names("The idea of Lindqvist's sensor came late.")


def test_an_acronym_and_its_long_form_are_aliases_of_each_other() -> None:
    pairs = {e.name: e.aliases for e in found("A support vector machine (SVM) separates. An SVM is fast.")}
    assert pairs["support vector machine"] == ("SVM",)
    assert pairs["SVM"] == ("support vector machine",)
    reverse = {e.name: e.aliases for e in found("We use the HMM (hidden Markov model) here.")}
    assert reverse["HMM"] == ("hidden Markov model",)


def test_technical_terms_are_found_without_capitals() -> None:
    text = "Machine learning techniques, a convolutional neural network and the EM algorithm need training data."
    terms = names(text)
    assert terms["Machine learning"] == "CONCEPT"
    assert terms["convolutional neural network"] == "TECHNOLOGY"
    assert terms["EM algorithm"] == "TECHNOLOGY"


def test_every_mention_of_a_name_is_found() -> None:
    text = "EskFlow was built by Lindqvist Hydro Ltd. The model EskFlow runs. Nobody stopped EskFlow."
    assert [e.name for e in found(text)].count("EskFlow") == 3


def test_a_family_name_alone_is_a_person_when_the_full_name_is_in_the_document() -> None:
    assert names("The plan came from Greta Varnholt.", "It worked, and Varnholt smiled.")["Varnholt"] == "PERSON"


def test_phrases_that_come_again_in_a_long_document_are_concepts() -> None:
    filler = "The members of the board talked about money and wrote a letter to the people of the town. " * 20
    text = (
        f"Every weir shutter stood still. {filler} A weir shutter is checked. {filler} The weir shutters were redrawn."
    )
    assert names(text)["weir shutter"] == "CONCEPT"
    assert "weir shutter" not in names("Every weir shutter stood still.")


def test_headings_and_code_give_no_names_of_their_own() -> None:
    assert names("OPERATING RESULTS AND MANAGEMENT\n\nTable 3 shows it. js_Array_set is called in May.") == {}


def test_titles_of_works_keep_their_small_words() -> None:
    assert "The Wind in the Willows" in names("He read The Wind in the Willows twice.")


def test_a_language_that_capitalises_nouns_does_not_flood_the_graph() -> None:
    text = "Der Vorstand nahm den Bericht und die Planung zur Kenntnis, weil Frau Weber die Zahlung der Rechnung " * 6
    assert not {"Vorstand", "Bericht", "Planung", "Kenntnis"} & names(text).keys()


def test_empty_and_odd_texts_are_fine() -> None:
    assert found("", " \n ", "....", "A", "𝒳" * 50, "'" * 500, "(" * 500, "\x00\ufffe") == []


def test_labels_and_identifiers_of_programs_are_no_names() -> None:
    assert names("We call T16 from T23, and T45 ends.") == {}
    assert "N_CHILDREN" not in str(names("The field N_CHILDREN counts them in Zorbax."))
    assert names("The term der length is der_length in Zorbax. We pass the der length to Zorbax.").keys() == {"Zorbax"}
    listed = "Each glob, magic and alias has a list: GlobList, MagicList and AliasList are read by Zorbax."
    assert names(listed).keys() == {"Zorbax"}


def test_words_of_the_document_written_as_one_are_identifiers() -> None:
    text = "The namespace has a URI, and XML names it. Zorbax reads the zorbURI, namespaceURI and XMLnamespaces."
    assert names(text).keys() >= {"Zorbax", "zorbURI"}
    assert not names(text).keys() & {"namespaceURI", "XMLnamespaces"}


def test_a_reference_key_and_the_front_of_a_file_are_no_names() -> None:
    keys = "It is one database[SharedZorb] of Zorbax. Then Mallow.xml wins over what Zorbax read from Mallow.xml."
    assert names(keys).keys() == {"Zorbax"}
    assert "Mallow" in names("Then Mallow.xml wins. We asked Mallow about Mallow.xml.")


def test_a_word_with_a_number_is_not_numbered_again() -> None:
    assert "Zorb32 4" not in names("The field holds Zorb32 4 times. We like Quark 4 too.")
    assert "Quark 4" in names("The field holds Zorb32 4 times. We like Quark 4 too.")


def test_a_hyphenated_term_is_what_its_last_part_is() -> None:
    assert names("The update-zorb-database is written.")["update-zorb-database"] == "TECHNOLOGY"


def test_a_phrase_that_comes_again_outside_of_sentences_alone_is_none() -> None:
    prose = [f"Here is ordinary prose about page {number}, which nobody reads." for number in range(60)]
    said = [
        "We add a zorbal flavour.",
        "Then a zorbal flavour comes.",
        "Is it of zorbal flavour?",
        "No zorbal flavour is.",
    ]
    assert "zorbal flavour" in names(*prose, *said)
    assert "zorbal flavour" not in names(
        *prose, *(f"{word} zorbal flavour {word}" for word in ("deb", "tar", "rpm", "ar"))
    )


def test_a_short_name_beside_operators_is_a_variable() -> None:
    assert names("Then LL = 3 and LL + 2 grow, so LL is sent to Zorbax.").keys() == {"Zorbax"}
    assert "LSTM" in names("We train an LSTM on text. The LSTM + noise setting is harder. LSTM cells are slow.")


def test_the_row_of_a_table_ends_a_name() -> None:
    rows = "store the value | in the Zorbax | of the interpreter stack\nmove the pointer | to the top of the Zorbax |"
    assert not any("\n" in entity.name or "stack move" in entity.name for entity in found(rows))


def test_a_column_tells_the_type_of_the_names_in_it() -> None:
    known = ("Paris", "Berlin", "Rome", "Madrid", "Vienna", "Oslo")
    rows = "\n".join(f"2 | {name} | closed" for name in (*known, "Brindlewick Tarnow"))
    assert names(rows)["Brindlewick Tarnow"] == "LOCATION"
    assert names("We met Brindlewick Tarnow at noon.")["Brindlewick Tarnow"] == "PERSON"


def test_what_never_begins_a_cell_in_a_column_of_names_is_a_part_of_one() -> None:
    firms = ("Tarnow Hydro Inc.", "Brindlewick Inc.", "Marlow Foods Inc.", "Ostrava Steel Ltd.", "Zorbax Inc.")
    rows = "\n".join(f"{firm} | closed for good in winter" for firm in (*firms, "Fresh, LLC Tarn Kitchen"))
    assert names(rows).keys() >= {*firms}
    assert "Tarn Kitchen" not in names(rows)
    assert "Tarn Kitchen" in names(rows, "We ate at the Tarn Kitchen.")
    assert "Tarn Kitchen" in names("It was closed | near Tarn Kitchen | in May")


def test_a_parenthesis_names_a_company_by_a_part_of_its_name() -> None:
    text = "Zorbax Wholesale Corporation and its subsidiaries (Zorbax or the Company) began in 1983. Zorbax grew."
    given = {entity.name: entity for entity in found(text)}
    assert given["Zorbax"].type == "ORGANIZATION"
    assert given["Zorbax"].aliases == ("Zorbax Wholesale Corporation",)
    assert "Company" not in given


def test_one_full_name_tells_the_type_of_a_hundred_acronyms() -> None:
    texts = ["The Federal Zorbing Administration (FZA) was asked."] + ["The FZA has no comment."] * 100
    assert names(*texts)["FZA"] == "ORGANIZATION"


def test_a_postal_address_tells_a_place() -> None:
    assert names("Send it to the branch, Brindle Tarnow, WA 98198, by mail.")["Brindle Tarnow"] == "LOCATION"


def test_a_name_whose_words_the_document_writes_small_is_no_person() -> None:
    lower = "the zorbing speed is low. a zorbing unit. this zorbing stops. "
    assert names(lower + "The note Zorbing Unreliat appears.").get("Zorbing Unreliat") != "PERSON"


def test_a_legal_form_behind_a_comma_tells_a_firm_and_alone_names_nothing() -> None:
    assert names("They bought Mellow Orchards, Inc. for a song.")["Mellow Orchards"] == "ORGANIZATION"
    assert names("It was sold to LLC Tarnlow Grange and to an LLC.").keys() == {"Tarnlow Grange"}


def test_a_legal_form_decides_what_a_name_is_with_it_and_without() -> None:
    text = "Tarnow Energy GmbH supplies turbines. The board of Tarnow Energy met. Brindle Concepts SARL did not."
    types = {name: kind for name, kind in names(text).items() if kind == "ORGANIZATION"}
    assert types.keys() == {"Tarnow Energy GmbH", "Tarnow Energy", "Brindle Concepts SARL"}


def test_a_small_word_in_front_of_a_name_is_no_part_of_it() -> None:
    assert names("The claim is that Both Elena Marlow and Tom Fisk sing.") == {
        "Elena Marlow": "PERSON",
        "Tom Fisk": "PERSON",
    }
    assert "Do Androids Dream of Electric Sheep" in names("She read Do Androids Dream of Electric Sheep again.")


def test_blanks_inside_words_give_no_half_names_where_the_document_is_full_of_them() -> None:
    broken = "The ti tle was won in Brindle ty by a lo cal ma n who li ved the re fo r ma ny ye ars of hi s li fe."
    assert "Brindle" not in names(*[broken] * 10)
    assert "Brindle" in names(*["The old title was won in Brindle ty by a local man."] * 10)


def test_a_degree_is_no_initial_of_the_word_behind_it() -> None:
    assert names("Proof 3 hours at 26 °C. Bake at 250 °C. Use a stone.") == {}
