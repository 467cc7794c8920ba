import pytest

from core.rulebook.understanding.topics import occurs, outer_names


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("KelpNet", "KelpNet是什么？", True),
        ("kelpnet", "What is KELPNET?", True),
        ("Kelp", "KelpNet", False),
        ("Net", "KelpNet", False),
        ("Net", "KelpNet and Net", True),
        ("C++", "Is C++ used?", True),
        ("Q1", "Q12 or _Q1", False),
        ("浮标", "每个浮标多重？", True),
    ],
)
def test_a_name_occurs_as_a_word_in_any_case(name: str, text: str, found: bool) -> None:
    assert occurs(name, text) is found


def test_parts_of_longer_names_are_left_out() -> None:
    assert outer_names(["Tide", "TideGraph", "Tide Graph"], "Tide Graph and TideGraph") == ["TideGraph", "Tide Graph"]
