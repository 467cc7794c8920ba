import pytest

from core.search.retrieval.first_hop import searchable


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("What is the ratio in 2021? Round your answer to two decimal places.", "What is the ratio in 2021?"),
        ("What is the total debt?Answer in millions.", "What is the total debt?"),
        ("Which ones? Please write the answer in list format, e.g. [1].", "Which ones?"),
        ('What are they? For example: ["3.0", "2.0"].', "What are they?"),
        ("这家公司的总负债是多少？请用中文回答。", "这家公司的总负债是多少？"),
    ],
)
def test_how_to_answer_is_left_out(question: str, kept: str) -> None:
    assert searchable(question) == kept


@pytest.mark.parametrize(
    "question",
    [
        "Please list the names of the directors.",
        "Round tables of King Arthur?",
        "Answer me: who was he?",
        "Who wrote it? It was published in 1990.",
        "",
        "?",
    ],
)
def test_what_is_asked_stays(question: str) -> None:
    assert searchable(question) == question
