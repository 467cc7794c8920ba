"""What the cross-encoder learns from: lists of a question, in the form that the product reads."""

import random

import pytest

from benchmarks.cross_encoder_lists import LIST_LENGTH, Lists, as_typed, context_of, joined
from benchmarks.cross_encoder_questions import Question, sentence_spans
from core.models.ranking import cross_encoder

PARAGRAPHS = (
    ("How heavy is the device?", ("The device weighs 240 grams.", "It is made of steel.", "It has a red button.")),
    ("How long is the guarantee?", ("The guarantee covers two years.", "The device is repaired.", "Keep the receipt.")),
)
QUESTIONS = [Question("wiki", text, "Manual", sentences, frozenset({0}), text) for text, sentences in PARAGRAPHS]


def test_a_list_has_one_sentence_that_answers_and_one_of_another_paragraph() -> None:
    lists = Lists(QUESTIONS)
    for number, question in enumerate(QUESTIONS):
        drawn = lists.draw(number)
        sentences = [sentence for _, sentence in drawn.sentences]
        assert len(sentences) == len(drawn.labels) == LIST_LENGTH
        assert [text for text, label in zip(sentences, drawn.labels, strict=True) if label] == [question.sentences[0]]
        assert set(sentences) & set(QUESTIONS[1 - number].sentences)


@pytest.mark.parametrize("lengths", [(3, 0, 4), (3, 5, 4), (60, 60, 200)])
def test_a_row_is_the_one_that_the_product_reads(lengths: tuple[int, int, int]) -> None:
    question, context, sentence = (list(range(10, 10 + length)) for length in lengths)
    cut = question[: cross_encoder.LONGEST_QUESTION]
    assert joined(question, context, sentence) == cross_encoder._joined(cut, context, sentence)


def test_what_is_typed_is_never_empty() -> None:
    random.seed(1)
    questions = ("What is it?", "Who", "什么是？", "这是什么", "How heavy is the device?")
    typed = {as_typed(Question("wiki", text, "", (), frozenset(), "")) for text in questions for _ in range(300)}
    assert all(typed)
    assert {"how heavy is the device", "heavy device"} <= {text.lower().rstrip("?") for text in typed}


def test_what_stands_before_a_sentence_is_of_the_kind_asked_for() -> None:
    found = [context_of(QUESTIONS[0], 2, kind) for kind in (0.1, 0.4, 0.6, 0.7, 0.9)]
    before = "It is made of steel"
    assert found == ["", "Manual", f"{before}.", f"Manual. {before}", f"Manual. The device weighs 240 grams. {before}"]


def test_sentences_end_at_marks_of_both_languages() -> None:
    sentences = ["It weighs 2.5 kg.", "Is that much? No.", "这台设备很重。", "设备每六十天校准一次！"]
    text = " ".join(sentences[:3]) + sentences[3]
    assert [text[start:end].strip() for start, end in sentence_spans(text)] == sentences
