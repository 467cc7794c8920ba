"""What a question needs: its words weighed, names apart from what is asked about them, Chinese by characters."""

import pytest

from core.platform.language.terms import content_terms
from core.rulebook.assessing.question_terms import question_terms_of, subject_length
from core.rulebook.understanding.questions import essence


@pytest.mark.parametrize(
    ("question", "text", "names", "whole"),
    [
        ("Who leads the Nordholm Foundation?", "The Nordholm Foundation pays for ship time.", 1.0, 0.667),
        ("Who leads the Nordholm Foundation?", "The director of the archive is Ann.", 0.0, 0.233),
        ("浮标由哪家公司生产？", "浮标每十分钟上报一次。", 1.0, 0.333),
        ("灯塔1913年由谁维修？", "1913年的灯塔。", 1.0, 0.6),
        ("给他提出了什么建议？", "提出建议。", 1.0, 1.0),
    ],
)
def test_names_and_what_is_asked_of_them_count_apart(question: str, text: str, names: float, whole: float) -> None:
    spoken = question_terms_of(question).spoken(frozenset(content_terms(text)))
    assert spoken.names == pytest.approx(names)
    assert spoken.whole == pytest.approx(whole, abs=0.001)


def test_pairs_of_characters_that_meet_by_chance_are_not_needed() -> None:
    needs = question_terms_of("邓飏和李胜对曹爽提出建议")
    assert needs.coverage(content_terms("李胜、邓飏提出建议，曹爽听从。")) == 1.0


def test_a_context_counts_less_than_the_sentence_itself() -> None:
    needs = question_terms_of("How is the buoy cleaned?")
    own, around = content_terms("It is cleaned by hand."), content_terms("The buoy")
    assert needs.coverage(own) < needs.coverage(own, around) < needs.coverage([*own, *around]) == 1.0


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    texts = [content_terms("the buoy floats"), content_terms("the buoy sinks"), content_terms("a battery")]
    needs = question_terms_of("buoy battery", texts)
    assert needs.coverage(content_terms("battery")) > needs.coverage(content_terms("buoy"))


def test_nothing_needed_is_wholly_spoken_of() -> None:
    assert question_terms_of("What is this document about?").coverage(()) == 1.0


@pytest.mark.parametrize(
    ("question", "subject"),
    [
        ("浮标的电池能用多久？", "浮标"),
        ("红色预警由谁批准发布？", "红色预警"),
        ("谁批准发布红色预警？", ""),
        ("Who leads the station?", ""),
    ],
)
def test_the_subject_of_a_chinese_question_is_what_it_opens_with(question: str, subject: str) -> None:
    asked = essence(question)
    assert asked[: subject_length(question, asked)] == subject
