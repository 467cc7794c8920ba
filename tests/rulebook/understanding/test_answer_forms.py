"""A preference changes the form of answers only where it certainly asks for that."""

from pathlib import Path

import pytest

from core.memory.model import AnswerForm
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.understanding.answer_forms import AnswerForms
from tests.fakes.models import sentence_encoder


@pytest.fixture(scope="module")
def forms() -> AnswerForms:
    return AnswerForms(sentence_encoder())


@pytest.mark.parametrize(
    ("preference", "form"),
    [
        ("I'd rather have brief answers", AnswerForm.SHORTER),
        ("答案尽量短一些", AnswerForm.SHORTER),
        ("I'd like in-depth answers", AnswerForm.LONGER),
        ("I don't like short answers", AnswerForm.LONGER),
        ("I want you to answer in English", AnswerForm.ENGLISH),
        ("今后请一律用英文答复", AnswerForm.ENGLISH),
        ("always respond in chinese please", AnswerForm.SIMPLIFIED_CHINESE),
        ("用中文跟我说", AnswerForm.SIMPLIFIED_CHINESE),
        ("請一律使用繁體中文", AnswerForm.TRADITIONAL_CHINESE),
        ("Always use metric units in your answers", AnswerForm.METRIC),
    ],
)
def test_other_words_for_a_form_are_understood(forms: AnswerForms, preference: str, form: AnswerForm) -> None:
    assert forms.of(preference) is form


@pytest.mark.parametrize(
    "preference",
    [
        "请用克拉",
        "Give prices in dollars",
        "I ran ten miles yesterday",
        "Metric units were introduced in 1795",
        "I want you to answer in German",
        "Reply in Portuguese",
        "answer me in Polish",
        "请用西班牙语答复",
        "Don't answer in English",
        "请不要用中文回答",
        "I like English breakfast",
        "I prefer the Chinese translation of the report",
        "I love short films",
        "我喜欢英国",
    ],
)
def test_anything_else_changes_nothing(forms: AnswerForms, preference: str) -> None:
    assert forms.of(preference) is None


def test_without_meanings_only_an_example_is_understood() -> None:
    forms = AnswerForms(HashedEmbedder())
    assert forms.of("Answer briefly.") is AnswerForm.SHORTER
    assert forms.of("I'd rather have brief answers") is None
    assert forms.of("Metric it should be") is None


def test_unseen_preferences_are_understood_or_change_nothing(forms: AnswerForms) -> None:
    lines = (Path(__file__).parent / "preferences.txt").read_text("utf-8").splitlines()[1:]
    wanted = [line.partition("|")[::2] for line in lines]
    judged = [(form, str(forms.of(preference))) for form, preference in wanted]
    assert all(found in ("None", form) for form, found in judged)
    assert sum(form == found != "None" for form, found in judged) >= 14
