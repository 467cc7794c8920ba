"""What people read as one: a question and what follows it, a list with its items, a section under its heading."""

import pytest

from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import QuotableSpan, units_of
from tests.rulebook.assessing.test_quotes import passages, quotes

FAQ = (
    "Which cards do you take?\n\nVisa and Mastercard alone.\n\n"
    "Is there a trial?\n\nNo. A plan can be cancelled within a week.\n\n"
    "Q: How long does delivery take?\nA: Yes. Three days in most towns."
)
STEPS = (
    "How to clean the filter\n\nProceed as follows:\n\n"
    "1. Switch the pump off.\n2. Open the lid.\n3. Rinse the filter.\n4. Close the lid.\n\n"
    "The pump has a guarantee of two years."
)


def read(text: str) -> list[QuotableSpan]:
    return units_of(passages(text))


def test_a_question_is_no_unit_but_what_follows_stands_under_it() -> None:
    assert [(unit.under, unit.text) for unit in read(FAQ)] == [
        ("Which cards do you take?", "Visa and Mastercard alone."),
        ("Is there a trial?", "No. A plan can be cancelled within a week."),
        ("Q: How long does delivery take?", "A: Yes. Three days in most towns."),
    ]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which cards do you take?", "Visa and Mastercard alone."),
        ("How long does delivery take?", "Yes. Three days in most towns."),
    ],
)
def test_an_entry_is_answered_by_what_follows_its_question(question: str, answer: str) -> None:
    assert quotes(question, FAQ)[0] == answer


def test_an_entry_that_has_the_question_is_quoted_whole_and_alone() -> None:
    text = (
        "Q: Can I cancel my membership?\nA: Yes, by email to club@calder.example. Points expire after a month.\n\n"
        "Q: Is membership free of charge?\nA: No. It costs 15 EUR per year."
    )
    whole = "Yes, by email to club@calder.example. Points expire after a month."
    assert quotes("Can I cancel my membership?", text) == [whole]
    assert quotes("Can a child cancel orders of points?", text) != [whole]
    assert quotes("Why can I cancel my membership?", text) != [whole]


def test_how_to_do_something_is_answered_by_its_steps_alone_with_their_numbers() -> None:
    steps = "1. Unpack the machine.\n2. Set up the machine for first use on a table.\n3. Plug in the machine."
    text = f"{steps}\n\nThe machine has a warranty of two years from its first use."
    assert quotes("How do I set up the machine for first use?", text) == [steps.replace("\n", " ")]


def test_addresses_are_quoted_in_sentences_and_after_labels_alone() -> None:
    said = ["Write to help@uni.example today.", "Fax and mail: x@y.example"]
    text = "\n\n".join(("Ann Lee, Bo Ray a.lee@uni.example b.ray@uni.example", *said))
    assert [unit.text for unit in read(text)] == said


def test_a_line_alone_heads_what_follows_and_a_label_does_not() -> None:
    text = "Opening hours\n\nWe open at nine.\n\nPhone: 123\n\nWe close at six."
    assert [(unit.under, unit.after) for unit in read(text) if unit.text.startswith("We")] == [
        ("Opening hours", 0),
        ("Opening hours", 2),
    ]


def test_chinese_items_are_units_of_their_own() -> None:
    units = [
        unit.text for unit in read("怎么申请退款？\n\n1. 联系客服说明情况\n2. 提供购买证明文件\n3. 说明退款的原因")
    ]
    assert units == ["联系客服说明情况", "提供购买证明文件", "说明退款的原因"]


def test_steps_are_quoted_whole_with_what_introduces_them() -> None:
    assert quotes("How do I clean the filter?", STEPS)[0] == (
        "Proceed as follows: 1. Switch the pump off. 2. Open the lid. 3. Rinse the filter. 4. Close the lid."
    )


def test_a_fact_is_not_answered_by_a_whole_list() -> None:
    assert quotes("What guarantee has the pump?", STEPS)[0] == "The pump has a guarantee of two years."


def test_a_question_for_a_section_is_answered_by_how_it_begins() -> None:
    text = ("Fees", "The fee is due in May. It is 20 euros."), ("Opening hours", "We open at nine.")
    view = EvidenceAssessment("What does the section on opening hours say?", passages(*text), None)
    assert [quote.text for quote in view.quotes] == ["We open at nine."]
    assert view.probability >= view.assessment.threshold


def test_an_entry_answered_by_a_list_is_quoted_with_all_of_it() -> None:
    text = "When is nothing paid back?\n\n- After a week has passed.\n- When the licence is in use."
    assert quotes("Is anything paid back when the licence is in use?", text)[0] == (
        "- After a week has passed. - When the licence is in use."
    )


def test_a_line_that_begins_anew_is_a_unit_and_one_that_goes_on_in_small_letters_is_none() -> None:
    text = "Sort code: 04-00-75\nAccount: 6267 7918\nAddress: 30 South Colonnade,\nbehind the old harbour office"
    found = read(text)
    assert [unit.text for unit in found] == [
        "Sort code: 04-00-75",
        "Account: 6267 7918",
        "Address: 30 South Colonnade, behind the old harbour office",
    ]
    assert [" ".join(text[unit.start : unit.end].split()) for unit in found] == [unit.text for unit in found]
