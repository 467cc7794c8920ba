"""Choosing quotes: the right sentence for the kind of question, no debris, rows readable, and enough or not enough."""

import pytest

from core.documents.model import Chunk, Span
from core.platform.language.sentences import sentences
from core.rulebook.assessing.answer_types import matcher_for
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import MAX_QUOTE, Shape, readable, units_of
from core.rulebook.assessing.quotes import shown_of
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.model import QuestionKind
from core.search.model import Passage
from tests.fakes import chunk_of

PAPER = (
    (
        "Abstract",
        "Dynamic languages are hard to compile. We present a compilation technique that records hot loops. It is fast.",
    ),
    (
        "1 Introduction",
        "JavaScript is popular [12].\n\nThis paper makes the following contributions:\n\n"
        "- We explain an algorithm for trace trees.\n\n- We speculate on types."
        "\n\nThe rest is in Section 4, where we describe it.",
    ),
    ("2 Trees", "A trace tree is a set of paths through a loop. Each tree has one anchor. Figure 3\n\n12 a b c 3 4"),
    ("References", "[3] A. Gal, B. Eich. Trace-based compilation of trace trees. In Proceedings of PLDI, 2009."),
)
TABLE = (
    "Table 2. Alert levels of Marlow Sound.\n\n"
    "Level | Karenia (cells per litre) | What happens\n"
    "Green | below 10,000 | Normal work\n"
    "Red | above 100,000 | Harvest stops"
)
HAN_TABLE = (
    "公路技术等级 | 车道数 | 用地指标基准值 | 编制条件 | 编制条件\n"
    "公路技术等级 | 车道数 | 用地指标基准值 | 路段交通量 | 大型车比例\n"
    "高速公路 | 八 | 2.5000 | 60000≤Q＜80000 | 20＜μ≤30\n"
    "二级公路 | 二 | 0.3333 | Q＜15000 | 20＜μ≤30"
)


def passages(*texts: tuple[str, str] | str) -> tuple[Passage, ...]:
    made = []
    for index, given in enumerate(texts):
        heading, text = given if isinstance(given, tuple) else ("", given)
        made.append(Passage(chunk_of("d", index, text, (heading,) if heading else ()), "paper.pdf", 0.6))
    return tuple(made)


def quotes(question: str, *texts: tuple[str, str] | str) -> list[str]:
    return [quote.text for quote in EvidenceAssessment(question, passages(*texts), None).quotes]


def test_a_sentence_that_stops_before_the_time_is_quoted_with_the_next_one_that_tells_it() -> None:
    told = "Meetings are to start promptly at the published start time. The aim is to start at 7.30 pm."
    view = EvidenceAssessment("What time do meetings start?", passages(told), None)
    assert (view.quotes[0].text, view.quotes[0].tells) == (told, True)


def test_a_contribution_is_quoted_where_the_paper_states_it() -> None:
    found = quotes("What is the main contribution of this paper?", *PAPER)
    assert found[0].endswith("We present a compilation technique that records hot loops.")
    assert any(
        text.startswith("This paper makes the following contributions:") and "an algorithm for trace trees" in text
        for text in found
    )
    assert not any("Section 4" in text and text.startswith("The rest") for text in found)


def test_a_summary_is_of_the_document_that_has_the_words_for_the_work() -> None:
    paper = Passage(chunk_of("p", 0, "In this paper, we present a new method.", ("Abstract",)), "p.pdf", 0.7)
    report = Passage(chunk_of("r", 0, "The annual accounts follow. We run shops.", ()), "r.pdf", 0.7)
    view = EvidenceAssessment("Summarise the annual report.", (paper, report), None)
    assert {quote.passage for quote in view.quotes} == {1}


def test_a_definition_comes_first() -> None:
    assert quotes("What is a trace tree?", *PAPER)[0] == "A trace tree is a set of paths through a loop."
    texts = ("浮标每六十天校准一次，校准层随之更新。", "校准层是指为每个浮标单独拟合的一组参数。")
    assert quotes("校准层是什么？", *texts)[0] == texts[1]


def test_references_headings_and_figures_are_never_quoted() -> None:
    shown = [unit.text for unit in units_of(passages(*PAPER))]
    assert not any("Proceedings" in text or text.startswith(("Figure", "12 a")) for text in shown)
    assert "Abstract" not in shown


def test_reference_marks_cannot_be_taken_for_citations() -> None:
    assert "JavaScript is popular (12)." in [unit.text for unit in units_of(passages(*PAPER))]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How often is a buoy calibrated?", "Each buoy is calibrated every 90 days."),
        ("When was the station founded?", "The station was founded in 2011 by a trust."),
        ("Who leads the station?", "The station is led by Dr. Ingrid Solheim."),
        ("Why do the farms close?", "The farms close because the bloom is poisonous."),
    ],
)
def test_the_kind_of_question_decides_between_like_sentences(question: str, answer: str) -> None:
    text = (
        "A buoy is calibrated in the shore hut. Each buoy is calibrated every 90 days. "
        "The station was founded with care. "
        "The station was founded in 2011 by a trust. Everybody at the station helps. "
        "The station is led by Dr. Ingrid Solheim. "
        "The farms close at night. The farms close because the bloom is poisonous. The shore hut is old. "
        "The shore hut stands at Gannet Point."
    )
    assert quotes(question, text)[0] == answer


def test_a_table_row_is_quoted_with_its_column_names() -> None:
    (red,) = quotes("What happens at the red level?", TABLE)[:1]
    assert red == "Level: Red; Karenia (cells per litre): above 100,000; What happens: Harvest stops"
    assert quotes("二级公路停车区用地指标基准值是多少？", HAN_TABLE)[0] == (
        "公路技术等级: 二级公路; 车道数: 二; 用地指标基准值: 0.3333; 编制条件 路段交通量: Q＜15000; "
        "编制条件 大型车比例: 20＜μ≤30"
    )


def test_a_list_quotes_every_row() -> None:
    found = quotes("What are the alert levels?", TABLE)
    assert sum(text.startswith("Level: ") for text in found) == 2


def test_a_table_without_a_heading_row_loses_no_row() -> None:
    rows = [unit for unit in units_of(passages("1 | 2 | 3\n4 | 5 | 6")) if unit.shape is Shape.ROW]
    assert [unit.text for unit in rows] == ["1 | 2 | 3", "4 | 5 | 6"]


def test_a_table_that_a_parser_left_on_one_line_is_read_row_by_row() -> None:
    text = "2021 2020 2019 United States 192,000 181,000 167,000 Canada 47,000 46,000 46,000"
    assert [unit.text for unit in units_of(passages(text))] == [
        "United States; 2021: 192,000; 2020: 181,000; 2019: 167,000",
        "Canada; 2021: 47,000; 2020: 46,000; 2019: 46,000",
    ]
    text = "Net income of the group $ 5,007 $ 4,002 $ 3,659 Basic shares 443,089 442,297 439,755"
    unit = units_of(passages(text))[1]
    assert (unit.text, text[unit.start : unit.end]) == ("Basic shares 443,089 442,297 439,755",) * 2


def test_figures_in_prose_are_no_table() -> None:
    text = "The fleet had 815, 795 and 782 boats in 2021 2020 2019 respectively and 40 30 nets."
    assert [unit.text for unit in units_of(passages(text))] == [text]
    contents = "1.1 引言 … 1 2 3 的解释 … 5 6 7"
    assert not [unit for unit in units_of(passages(contents)) if unit.shape is Shape.ROW]


def test_a_column_of_labels_without_its_figures_is_never_quoted() -> None:
    labels = (
        "August 29, 2021 REVENUE Net sales Membership fees Total revenue OPERATING EXPENSES Merchandise costs Selling, "
        "general and administrative Preopening expenses Operating income Interest expense Net income"
    )
    sentence = "Net income rose in 2021."
    assert quotes("What was the net income in 2021?", labels, sentence) == [sentence]


def test_the_number_of_a_section_is_not_cut() -> None:
    assert units_of(passages("4.2.2 the gain of information is defined by a formula."))[0].text.startswith("4.2.2 the")


def test_a_year_is_no_count() -> None:
    text = "In December 2020 employees of the mill complained. We employed 288 employees worldwide."
    tells = matcher_for("How many employees did the mill have?", QuestionKind.HOW_MANY)
    assert tells
    assert [tells(sentence) for sentence in sentences(text)] == [False, True]


def test_a_name_that_the_document_bears_adds_nothing() -> None:
    texts = ("The fiscal year ends on 31 August.", "Larkwood files its report soon after the end of the fiscal year.")
    given = [Passage(chunk_of("d", index, text), "Larkwood report.pdf", 0.6) for index, text in enumerate(texts)]
    assert [
        quote.text for quote in EvidenceAssessment("When does Larkwood's fiscal year end?", given, None).quotes
    ] == [texts[0]]


def test_a_quote_that_leans_on_the_sentence_before_takes_it_along() -> None:
    text = "KelpNet is a neural network. It was developed by Lena Vogt."
    assert quotes("Who developed KelpNet?", text) == [text]


def test_what_is_asked_counts_more_than_the_name_that_many_sentences_have() -> None:
    text = (
        "松河镇是海原县的一个镇。面积24平方公里，人口8200人。松河镇濒临北湾，松河镇与北湾之间是湿地。松河镇盛产柑橘。"
    )
    assert quotes("松河镇的人口是多少？", text)[0] == "面积24平方公里，人口8200人。"


def test_what_is_far_less_likely_is_not_quoted_beside_the_best() -> None:
    texts = (
        "The Orrin bridge crosses the river Ash near Tarn. In fog the Orrin bridge seems to cross a river of light.",
        "In 1970 lightning struck the old toll house at the Orrin bridge.",
    )
    found = quotes("Which river does the Orrin bridge cross?", *texts)
    assert found[0] == "The Orrin bridge crosses the river Ash near Tarn."
    assert texts[1] not in found


def test_the_class_of_what_is_asked_need_not_be_said() -> None:
    given = passages("原松大陆是一块史前大陆，存在于中元古代到新元古代。")
    question = "原松大陆存在于哪个时期？"
    assert EvidenceAssessment(question, given, None).probability >= ANSWER_THRESHOLD


def test_a_comparison_has_a_word_on_each_side() -> None:
    texts = (
        "Marlow is calibrated every 90 days.",
        "Qingyu is calibrated every 60 days.",
        "Both are calibrated by hand, at sea.",
    )
    found = quotes("What is the difference between the calibration of Marlow and Qingyu?", *texts)
    assert texts[0] in found
    assert texts[1] in found


def test_authors_are_quoted_from_the_first_lines() -> None:
    text = "KelpNet: Early Warning of Blooms\nLena Vogt, Rafael Marchetti\nAbstract\nBlooms are noticed late."
    assert quotes("Who are the authors of this paper?", text) == [
        "KelpNet: Early Warning of Blooms Lena Vogt, Rafael Marchetti"
    ]


@pytest.mark.parametrize(
    ("question", "enough"),
    [
        ("Who developed KelpNet?", True),
        ("What does KelpNet estimate?", True),
        ("Where was Lena Vogt born?", False),
        ("What is the capital of France?", False),
        ("Who developed TideGraph?", False),
        ("KelpNet 由谁开发？", False),
    ],
)
def test_evidence_is_enough_only_when_it_speaks_of_what_is_asked(question: str, enough: bool) -> None:
    given = passages("KelpNet is a neural network that estimates the share of Karenia. It was developed by Lena Vogt.")
    assert (EvidenceAssessment(question, given, None).probability >= ANSWER_THRESHOLD) is enough


def test_a_sentence_that_a_page_break_cuts_is_one_sentence() -> None:
    text = "The buoy measures the light\nof the water every hour. A new block begins"
    at = text.index("of the")
    spans = (Span(0, at, 0, 0, None), Span(at, len(text), 1, 1, None))
    whole = Passage(Chunk("c", "d", 0, text, (), spans), "x.pdf", 0.5)
    assert units_of([whole])[0].text == "The buoy measures the light of the water every hour."


def test_a_heading_block_does_not_run_into_the_paragraph() -> None:
    text = "Water levels at sea\nThe buoy measures the light of the water."
    at = text.index("The")
    spans = (Span(0, at, 0, 0, None), Span(at, len(text), 1, 0, None))
    found = units_of([Passage(Chunk("c", "d", 0, text, ("Water levels at sea",), spans), "x.pdf", 0.5)])
    assert [unit.text for unit in found] == ["The buoy measures the light of the water."]


def test_quotes_are_of_bounded_length() -> None:
    assert len(readable("word, " * 2000)) <= MAX_QUOTE + 2


def test_a_hostile_passage_is_cut_in_time() -> None:
    for text in ("a. " * 20_000, "| " * 20_000, "（" * 20_000, "1 " * 20_000, "word" * 20_000):
        units_of(passages(text))


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("What was the revenue of the utility in 2022?", "Revenue of the utility grew by 7% in 2022."),
        ("How high are the water losses?", "Water losses fell by 3 percentage points."),
        ("管网漏损率是多少？", "管网漏损率同比下降2.1个百分点。"),
    ],
)
def test_a_change_is_no_answer_where_a_level_is_asked_for(question: str, text: str) -> None:
    assert EvidenceAssessment(question, passages(text), None).probability < ANSWER_THRESHOLD


def test_what_comes_closest_are_the_likely_sentences_passage_by_passage() -> None:
    given = passages(
        "KelpNet was developed by Lena Vogt in 2019. KelpNet estimates the share of Karenia on the shore.",
        "Apples are sold on Mondays.",
        "The network KelpNet runs on the shore servers.",
    )
    closest = EvidenceAssessment("Where does KelpNet run?", given, None).closest
    assert closest[0].text == "The network KelpNet runs on the shore servers."
    assert [quote.passage for quote in closest] == sorted((quote.passage for quote in closest), reverse=True)
    assert not any("Apples" in quote.text for quote in closest)


def test_rows_of_which_the_question_names_the_columns_alone_come_last_of_what_is_closest() -> None:
    table = [
        "Buoy | Position | Reporting interval",
        *(f"L{number} | Reach {number} | {number}0" for number in range(1, 7)),
    ]
    told = "Each buoy is lifted and calibrated every 90 days."
    question = "What is the interval of calibration, and that of Reach 4?"
    closest = EvidenceAssessment(question, passages("\n".join([*table, "", told])), None).closest
    assert {told, "Buoy: L4; Position: Reach 4; Reporting interval: 40"} == {quote.text for quote in closest[:2]}


def test_what_comes_closest_says_nothing_twice() -> None:
    given = passages("KelpNet may run on the shore servers.", "Apples grow.", "KelpNet may run on the shore servers.")
    closest = EvidenceAssessment("Where does KelpNet run?", given, None).closest
    assert [quote.text for quote in closest].count("KelpNet may run on the shore servers.") == 1


def test_likely_neighbours_are_shown_as_one_piece_of_text() -> None:
    told = "KelpNet was made on the shore.\nIt has 12 layers.\nKelpNet runs on four servers."
    rows = "| Network | Place |\n|---|---|\n| KelpNet | shore |\n| SeaNet | deep water |"
    closest = EvidenceAssessment("Where does KelpNet run on the shore?", passages(told, rows), None).closest
    assert told.replace("\n", " ") in [quote.text for quote in closest]
    assert "Network: KelpNet; Place: shore" in [quote.text for quote in closest]


def test_a_short_number_with_its_label_can_be_quoted() -> None:
    (given,) = passages("Send comments by one of these ways.\n\n• Fax: 202–493–2251.\n\n17: 12")
    texts = [unit.text for unit in units_of([given])]
    assert texts == ["Send comments by one of these ways.", "Fax: 202–493–2251."]


def test_a_further_quote_of_another_passage_is_nearly_as_likely_as_the_best() -> None:
    best, beside, elsewhere, likely = (
        Quote(passage, 0, 9, "A sentence.", score) for passage, score in ((0, 1.0), (0, 0.45), (1, 0.45), (1, 0.7))
    )
    assert shown_of([best, beside, elsewhere, likely], QuestionKind.HOW_MANY) == [best, beside, likely]
    assert shown_of([best, elsewhere], QuestionKind.LIST) == [best, elsewhere]
    assert shown_of([], QuestionKind.HOW_MANY) == []


def test_the_sentence_beside_a_quote_that_has_its_missing_word_is_quoted_too() -> None:
    text = (
        "A red alert can be called by the duty officer alone. It can be ended only by the director. Nobody sails alone."
    )
    (quote,) = EvidenceAssessment("Can the duty officer end a red alert alone?", passages(text), None).quotes[:1]
    assert quote.text.endswith("It can be ended only by the director.")


def test_a_reason_in_the_words_of_the_question_answers_it() -> None:
    rows = "Buoy | Interval (min)\nL5 | 5\nL6 | 20"
    text = f"Buoy L5 reports every five minutes because it is the last one before the farms.\n\n{rows}"
    view = EvidenceAssessment("Why does buoy L5 report every five minutes?", passages(text), None)
    assert [quote.text[:9] for quote in view.quotes] == ["Buoy L5 r"]
    assert view.probability >= ANSWER_THRESHOLD
