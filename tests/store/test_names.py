"""Which stretches of a text are looked up as names."""

import pytest

from core.graph.store.entity_lookup import MOST_SIGNS, MOST_WORDS, candidates
from core.platform.sql.columns import NORM_LENGTH, name_key, normalized


def stretches(text: str) -> set[str]:
    return {text[start:end] for start, end in candidates(text)}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("ab cd", {"ab", "ab cd", "cd"}),
        ("gpt-4", {"gpt", "gpt-4"}),
        ("c++!", {"c++", "c++!"}),
        (".net", {".net"}),
        ("end.net", {"end", "end.net", "end.", "net"}),
        ("深度学", {"深度", "深度学", "度学"}),
        ("bert模型", {"bert", "bert模", "bert模型", "模型"}),
        ("a", set()),
        ("水", set()),
        ("?! …", set()),
    ],
)
def test_candidates_are_whole_words_or_runs_of_characters(text: str, expected: set[str]) -> None:
    assert stretches(text) == expected


def test_candidates_are_no_longer_than_names_are() -> None:
    words = [f"w{i:02}" for i in range(30)]
    assert max(stretch.count(" ") for stretch in stretches(" ".join(words))) == MOST_WORDS - 1
    assert max(len(stretch) for stretch in stretches("天地玄黄宇宙洪荒日月盈昃辰宿列张")) == MOST_SIGNS


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("  Deep\n Learning ", "deep learning"),
        ("ＧＰＴ－４", "gpt-4"),
        ("深度學習", "深度学习"),
        ("Straße", "strasse"),
        ("Émile\x00", "emile\ufffd"),
        ("", ""),
    ],
)
def test_a_normal_form_levels_what_does_not_tell_names_apart(name: str, expected: str) -> None:
    assert normalized(name) == expected


def test_the_normal_form_of_a_name_can_be_indexed() -> None:
    assert len(name_key("字" * 100_000)) == NORM_LENGTH
