"""Sentences turned into questions: what is asked, what answers, and what is better not asked."""

import pytest

from core.runs.evaluation.sentence_questions import asked_of

PEOPLE = ("Ada Holm", "Harbour Trust", "王芳")


@pytest.mark.parametrize(
    ("sentence", "question", "answer"),
    [
        ("Each buoy is calibrated every 90 days.", "How often is each buoy calibrated?", "every 90 days"),
        ("Ada Holm leads the flood office, which she founded.", "Who leads the flood office?", "Ada Holm"),
        ("The Harbour Trust pays for the ships.", "Who pays for the ships?", "Harbour Trust"),
        ("The lighthouse was built by the city in 1911.", "When was the lighthouse built by the city?", "1911"),
        ("The north pier is 240 m long.", "How long is the north pier?", "240 m"),
        ("The fee for a berth is 35 euros per night.", "What is the fee for a berth?", "35 euros"),
        ("Marram is a grass of dunes.", "What is Marram?", ""),
        ("浮标每10分钟上报一次水温。", "浮标多久上报一次水温？", "10分钟"),
        ("灯塔建于1911年，由市政府管理。", "灯塔建于哪一年？", "1911"),
        ("红色预警由王芳批准发布。", "红色预警由谁批准发布？", "王芳"),
        ("王芳负责校准仪器。", "谁负责校准仪器？", "王芳"),
        ("水温低于4摄氏度时荧光计会漂移。", "水温低于多少摄氏度时荧光计会漂移？", "4"),
        ("校准层是指一组参数。", "校准层是什么？", ""),
    ],
)
def test_a_sentence_becomes_the_question_that_it_answers(sentence: str, question: str, answer: str) -> None:
    made = asked_of(sentence, PEOPLE)
    assert made is not None
    assert (made.question, made.answer) == (question, answer)


@pytest.mark.parametrize(
    "sentence",
    [
        "It is calibrated every 90 days.",
        "Figure 3 is 12 cm wide.",
        "Is the pier 240 m long?",
        "Ada Holm and Rolf Lund lead the office.",
        "Ada Holm wrote its first version.",
        "The buoy reports because it is a beacon.",
        "该站建于1911年。",
        "灯塔高30米，宽5米。",
        "The " + "very " * 40 + "long pier is 240 m long.",
    ],
)
def test_what_points_elsewhere_is_too_long_or_has_two_values_is_not_asked(sentence: str) -> None:
    assert asked_of(sentence, PEOPLE) is None
