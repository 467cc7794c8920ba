"""Questions about the person and questions for documents, told apart."""

import pytest

from tests.fakes.models import personal_questions


@pytest.mark.parametrize(
    "question", ["what's my shoe size", "Do I have a brother?", "which street did I grow up in?", "我太太是哪里人？"]
)
def test_what_only_the_person_knows_is_of_the_person(question: str) -> None:
    assert personal_questions().margin(question) > 0.3


@pytest.mark.parametrize(
    "question",
    [
        "How long do I have to return the router?",
        "Is my brother covered by the policy?",
        "what size of filter do I need for my pump",
        "我太太可以用我的月票吗？",
    ],
)
def test_what_a_contract_or_manual_says_is_of_documents(question: str) -> None:
    assert personal_questions().margin(question) < -0.3
