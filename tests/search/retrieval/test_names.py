import pytest

from core.platform.language.detect import is_unspaced
from core.search.retrieval.names import MAX_NAMES, names_in, names_in_question


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("It was directed by Ed Solomon.", "Ed Solomon"),
        ("He studied at the University of Oxford in 1990.", "University of Oxford"),
        ("Wong Kar-wai's films", "Wong Kar-wai"),
        ("a film by E. V. V. Satyanarayana starring", "E. V. V. Satyanarayana"),
        ("born in St. Louis, Missouri", "St. Louis, Missouri"),
        ('known for "The Comic Strip Presents..." and', "The Comic Strip Presents..."),
        ("改编自《红高粱家族》的电影", "红高粱家族"),
        ("the 2016 Michigan primary", "2016 Michigan"),
    ],
)
def test_names_stand_among_the_candidates(text: str, name: str) -> None:
    assert name in names_in(text)


def test_sentences_and_brackets_end_a_name() -> None:
    assert "Paris London" not in names_in("He left Paris. London was next (Rome) Berlin")
    assert "Rome Berlin" not in names_in("(Rome) Berlin")


def test_lower_case_words_are_no_names_in_a_text_but_may_be_in_a_question() -> None:
    assert names_in("where is the river") == []
    assert "face in the rain" in names_in_question("what is face in the rain about?")


def test_any_stretch_of_a_chinese_question_may_be_a_name() -> None:
    assert {"战国无双3", "战国无双"} <= set(names_in_question("战国无双3是由哪两个公司合作开发的？"))


@pytest.mark.parametrize("text", ["A " * 100_000, "“" * 10_000, "字" * 100_000, "A. " * 50_000, '"' * 10_001])
def test_hostile_texts_give_few_names_soon(text: str) -> None:
    assert len(names_in(text)) <= MAX_NAMES
    assert len(names_in_question(text)) <= MAX_NAMES


def test_texts_without_spaces_between_words_are_told_apart() -> None:
    assert is_unspaced("《红高粱》是一部由张艺谋执导的电影。")
    assert not is_unspaced("Red Sorghum (红高粱) is a film directed by Zhang Yimou.")
    assert not is_unspaced("")
