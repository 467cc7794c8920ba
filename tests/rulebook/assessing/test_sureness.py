"""How sure a quote is: rules that hold whatever the fitted probability is."""

from dataclasses import replace

import pytest

from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.assessing import rejections
from core.rulebook.assessing.answering import ACROSS_THRESHOLD, ANSWER_THRESHOLD, RULE_PROBABILITY
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from tests.rulebook.assessing.test_quotes import passages
from tests.rulebook.assessing.test_word_meanings import WordVectors

BYLINE = (
    "KelpNet: Early Warning of Algal Blooms. Lena Vogt, Rafael Marchetti. Technical note 14.\n\nAbstract. It warns."
)


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("Who wrote this paper?", True),
        ("Who are the authors of the KelpNet paper?", True),
        ("Who wrote the technical note?", True),
        ("这篇论文的作者是谁？", True),
        ("Who wrote the flood manual?", False),
        ('Who wrote the paper "Tides of Marlow"?', False),
        ("Summarise the technical note.", True),
        ("Summarise the flood manual.", False),
    ],
)
def test_a_byline_answers_for_its_own_work_alone(question: str, sure: bool) -> None:
    assert (EvidenceAssessment(question, passages(BYLINE), None).probability >= ANSWER_THRESHOLD) is sure


def test_a_beginning_in_prose_is_no_byline() -> None:
    text = (
        "The buoys of the sound are lifted twice in every year, and the spectra that they send are compared with "
        "samples which the crew takes from the same water."
    )
    assert EvidenceAssessment("Who wrote this paper?", passages(text), None).probability < ANSWER_THRESHOLD


def test_that_a_question_names_nothing_makes_no_answer_certain() -> None:
    view = EvidenceAssessment(
        "How much is the connection fee?", passages("The connection fee has risen since then."), None
    )
    assert view.probability < RULE_PROBABILITY


@pytest.mark.parametrize(("text", "sure"), [("观测站成立于2011年。", False), ("It was founded in 2011.", True)])
def test_a_quote_in_another_language_has_to_be_likelier(text: str, sure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: (ANSWER_THRESHOLD + ACROSS_THRESHOLD) / 2)
    view = EvidenceAssessment("When was it founded?", passages(text), WordVectors())
    assert (view.probability >= ANSWER_THRESHOLD) is sure


@pytest.mark.parametrize(
    ("question", "text", "sure"),
    [
        ("What is EskFlow?", "EskFlow is the model that forecasts the level of the Tarn Beck.", True),
        ("What is EskFlow?", "EskFlow of the board (introduced in 2019) is a forecasting model.", True),
        ("What is EskFlow?", "The model is called EskFlow, and it forecasts the level of the Tarn Beck.", True),
        ("What is EskFlow?", ("EskFlow", "A model that forecasts the level of the Tarn Beck."), True),
        ("What is EskFlow?", "The board plans to extend EskFlow so that it reads the gauges upstream.", False),
        ("什么是版本空间？", "本节的重点是理解“假设空间”和“版本空间”，下面举例说明。", False),
        ("什么是样本空间？", "样本空间：也称为“输入空间”或“属性空间”。", True),
        ("What is Self-Ask?", "Model | 2-hop | 4-hop\nSelf-Ask | 51.5 | 52.4\nOther-Ask | 49.1 | 47.0", False),
        ("What is Self-Ask?", "Model | Meaning\nSelf-Ask | a prompt that asks back\nOther-Ask | another one", True),
        ("What is the forecast horizon of EskFlow?", "EskFlow looks twelve hours ahead.", True),
    ],
)
def test_what_only_speaks_of_a_thing_does_not_say_what_it_is(
    question: str, text: str | tuple[str, str], sure: bool
) -> None:
    assert ("objection: undefined" not in EvidenceAssessment(question, passages(text), WordVectors()).features) is sure


NAMED = "The register was kept by the bank of Northmere, one of the companies mentioned above."


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("Which companies are mentioned in the register?", False),
        ("Which banks does the register name?", False),
        ("Which companies appear in the register?", False),
        ("登记册提到了哪些公司？", False),
        ("Which bank kept the register?", True),
        ("Which companies are named after Northmere?", True),
    ],
)
def test_no_sentence_says_all_that_a_document_mentions(
    question: str, sure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.9)
    assert (EvidenceAssessment(question, passages(NAMED), WordVectors()).probability >= ANSWER_THRESHOLD) is sure


@pytest.mark.parametrize(
    ("question", "heading", "sure"),
    [
        ("Send me the summary of chapter 2.", "2 Methods", True),
        ("Send me the summary of chapter 2.", "Chapter 2: Methods", True),
        ("Send me the summary of chapter 2.", "2.1 Buoys", False),
        ("Send me the summary of chapter 2.", "Introduction", False),
        ("Send me the summary of the note.", "Introduction", True),
        ("总结一下第二章", "第二章 方法", True),
        ("总结一下第二章", "第一章 总则", False),
    ],
)
def test_the_summary_of_a_chapter_stands_under_its_heading(question: str, heading: str, sure: bool) -> None:
    text = "In this note we present KelpNet, which gives an early warning. 本手册的目的是规定方法。"
    assert (EvidenceAssessment(question, passages((heading, text)), None).probability >= ANSWER_THRESHOLD) is sure


@pytest.mark.parametrize(
    ("question", "sure"),
    [("红色预警由谁批准发布？", True), ("橙色预警由谁批准发布？", False), ("紫色预警由谁批准发布？", True)],
)
def test_what_is_said_of_one_kind_is_not_said_of_another_that_the_documents_know(question: str, sure: bool) -> None:
    read = passages("红色预警由值班员提出，经站长批准后发布。", "藻类的浓度在橙色时较高。")
    assert ("objection: another kind" not in EvidenceAssessment(question, read, WordVectors()).features) is sure


@pytest.mark.parametrize(
    ("question", "heading", "sure"),
    [
        ("How many gas stations did we operate in Korea?", "Stations", False),
        ("How many gas stations did we operate in Korea?", "Stations in Korea", True),
        ("How many gas stations did we operate at the end of 2019?", "Stations", False),
        ("How many gas stations did we operate at the end of 2021?", "Stations", True),
    ],
)
def test_a_quote_without_a_name_of_the_question_is_no_sure_answer(question: str, heading: str, sure: bool) -> None:
    view = EvidenceAssessment(
        question, passages((heading, "We operated 636 gas stations at the end of 2021.")), WordVectors()
    )
    assert ("objection: names missing" not in view.features) is sure


def test_another_number_before_the_same_word_is_another_kind() -> None:
    told = passages("二级公路停车区的用地指标为0.3333公顷。")
    for question, other in (("三级公路停车区的用地指标是多少？", True), ("二级公路停车区的用地指标是多少？", False)):
        view = EvidenceAssessment(question, told, WordVectors())
        assert ("objection: another kind" in view.features) is other


ACROSS = "青屿站自2019年起与马洛站（Marlow Station）合作。"
OWN = "Marlow Station stands on the coast. The station is led by Ada Byron."


@pytest.mark.parametrize(("texts", "sure"), [((ACROSS,), True), ((ACROSS, OWN), False)])
def test_no_sentence_of_another_language_is_sure_where_ones_own_speaks_of_the_same(
    texts: tuple[str, ...], sure: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.9)
    view = EvidenceAssessment("Who leads Marlow Station?", passages(*texts), WordVectors())
    view.__dict__["features"] = {"another language": 1.0, "tells no more than a change": 0.0}
    assert (view.probability >= ANSWER_THRESHOLD) is sure


def test_the_closest_sentence_of_ones_own_language_counts_as_much_as_the_best() -> None:
    view = EvidenceAssessment("Who leads Marlow Station?", passages(ACROSS, OWN), WordVectors())
    across = next(it for it in view.candidates if it.quote.text == ACROSS)
    faint = [replace(it, quote=replace(it.quote, score=1e-6)) for it in view.candidates if it is not across]
    view.__dict__["candidates"] = [replace(across, quote=replace(across.quote, score=1.0)), *faint]
    assert [quote.text for quote in view.closest] == [OWN, ACROSS]


REPORTS = (
    "Buoy | Reporting interval (min) | In service since\nL4 | 20 | 2016\nL5 | 5 | 2019",
    "Buoy L5 reports often because it is the last that the tide passes. Buoy L5 is cleaned daily.",
)


def test_the_reason_of_an_answer_is_a_sentence_about_it_that_gives_one() -> None:
    view = EvidenceAssessment("why: How often does buoy L5 report?", passages(*REPORTS), None)
    assert [quote.text for quote in view.quotes] == [
        "Buoy L5 reports often because it is the last that the tide passes."
    ]
    assert view.probability >= ANSWER_THRESHOLD
    assert view.value == ""


def test_where_nothing_is_quoted_there_is_no_value() -> None:
    view = EvidenceAssessment("Why is it?", passages("Nothing here."), None)
    assert (view.quotes, view.value) == ([], "")


def test_what_a_heading_says_of_the_reason_is_part_of_it() -> None:
    closed = ("Water at Kestrel Field", "It is turned off in winter so that the pipes do not freeze.")
    view = EvidenceAssessment("why: When is the water turned off at Kestrel Field?", passages(closed), None)
    assert view.reason
    assert view.reason.text == closed[1]


@pytest.mark.parametrize(
    "question",
    ["why: How often is buoy L5 cleaned?", "Why: How often does buoy L4 report?", "为什么: L5多久清洗一次？"],
)
def test_what_was_answered_is_no_reason_of_itself(question: str) -> None:
    assert EvidenceAssessment(question, passages(*REPORTS), None).probability < ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("总结一下灯塔故事", False),
        ("灯塔故事讲了什么？", False),
        ("Summarise the lighthouse story", False),
        ("总结一下运行手册", True),
        ("总结一下报告", True),
        ("Summarise the station handbook", True),
        ("What is this about?", True),
    ],
)
def test_a_summary_is_of_the_document_that_the_question_names(question: str, sure: bool) -> None:
    text = "The purpose of this station handbook is to describe the buoys. 本运行手册的目的是规定浮标维护的要求。"
    assert (
        EvidenceAssessment(question, passages(("Introduction", text)), None).probability >= ANSWER_THRESHOLD
    ) is sure


@pytest.mark.parametrize("encoder", [None, UniversalSentenceEncoder()])
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How high was the dividend per share?", "The dividend was raised by 5 cents a share."),
        ("负债总额是多少？", "负债总额下降2.6亿元。"),
        ("How much is the connection fee?", "The connection fee rose by 20 euros."),
    ],
)
def test_a_change_alone_is_no_level(question: str, text: str, encoder: UniversalSentenceEncoder | None) -> None:
    assert EvidenceAssessment(question, passages(("Report", text)), encoder).probability < ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("Director: Lena Vogt.", True),
        ("Lena Vogt is a professor of optics.", True),
        ("Present: Lena Vogt, Tom Reyes and others.", False),
        ("The report was sent to Lena Vogt in May.", False),
    ],
)
def test_a_quote_says_who_somebody_is_or_only_names_them(text: str, says: bool) -> None:
    assert EvidenceAssessment("Who is Lena Vogt?", passages(("", text)), None).says_what_is("Lena Vogt") is says
