"""Which messages ask to remember or to forget something, and what."""

import pytest

from core.memory.model import MemoryKind, MemoryRequest
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.messages import Statement
from core.rulebook.understanding.request_wordings import RequestWordings
from core.rulebook.understanding.self_statements import SelfStatements
from tests.fakes.models import of_self


@pytest.mark.parametrize(
    ("message", "kept"),
    [
        ("Remember the bins go out on Wednesday", "the bins go out on Wednesday"),
        ("Please make a note that our lift key is with Ms. Duarte.", "our lift key is with Ms. Duarte"),
        ("I take the 7:40 ferry, keep that in mind please", "I take the 7:40 ferry"),
        ("帮我记一下：我家的水表在楼下", "我家的水表在楼下"),
        ("My car is a red Skoda, please remember it.", "My car is a red Skoda"),
        ("我妹妹属兔，帮我记一下", "我妹妹属兔"),
    ],
)
def test_what_is_to_be_remembered_is_without_the_words_of_the_request(message: str, kept: str) -> None:
    assert of_self().request(message) == MemoryRequest(kept, is_certain=True)


@pytest.mark.parametrize(
    ("message", "subject"),
    [
        ("delete what I said about the wifi", "wifi"),
        ("Forget what I told you about tea", "tea"),
        ("Please forget my shoe size.", "shoe size"),
        ("you can drop the thing about my lumbago now", "lumbago"),
        ("请忘掉我的网球拍", "网球拍"),
    ],
)
def test_what_is_to_be_forgotten_is_named(message: str, subject: str) -> None:
    assert of_self().request(message) == MemoryRequest(subject, forgets=True)


@pytest.mark.parametrize(
    "message",
    [
        "忘记我的密码怎么办？",
        "What do I have to remember about buoys?",
        "Do you remember my name?",
        "How do I delete an account?",
        "Forget gate in an LSTM?",
        "I am allergic to nuts",
        "Remember that for me",
        "Never mind the parcel, I picked it up.",
        "Remove the second row of the table in your answer",
    ],
)
def test_other_messages_ask_for_neither(message: str) -> None:
    assert of_self().request(message) is None


def test_without_an_encoder_a_request_worded_like_an_example_is_known() -> None:
    requests = SelfStatements(HashedEmbedder())
    assert requests.request("Remember that the bins go out on Wednesday")
    assert requests.request("Will you see to it that this stays with you: the bins go out") is None


def test_nothing_of_a_statement_is_lost_where_it_is_not_certain_that_it_begins() -> None:
    often = ["keep in mind that {the sea is cold}", "{it rains}, note it"]
    wordings = RequestWordings(
        [*often, *(f"please {each}" for each in often), "keep in mind about the car: {it leaks}"]
    )
    assert wordings.statement("keep in mind that it snows") == "it snows"
    assert wordings.statement("keep it in mind: it snows") == "it snows"
    assert wordings.statement("keep in your mind: it snows") == "keep in your mind: it snows"
    assert wordings.statement("it snows, note it!") == "it snows"
    assert wordings.statement("keep in mind") == "keep in mind"
    assert wordings.statement("keep in mind that the car, a Skoda, leaks") == "the car, a Skoda, leaks"


def test_a_wish_for_the_form_of_answers_is_a_preference() -> None:
    asked = MemoryRequest("I prefer short answers", is_certain=True)
    assert Statement.of_request(asked) == Statement("I prefer short answers", MemoryKind.PREFERENCE, 8)
    assert Statement.of_request(MemoryRequest("my name is Jonas")) == Statement(
        "Name: Jonas", MemoryKind.FACT, 8, certain=False
    )


def test_hostile_repetition_is_read_in_time() -> None:
    for piece in ("remember ", "that ", ": ", "记", "forget it "):
        of_self().request(piece * 4000)


@pytest.mark.parametrize("message", ["", "。", "删", "忘", "的", "½", "forget"])
def test_a_message_of_next_to_nothing_names_nothing(message: str) -> None:
    wordings = RequestWordings(["忘{茶}", "删掉{茶}", "forget {tea}", "forget {rum}"])
    assert wordings.subject(message) in {"", message}
    assert wordings.statement(message) in {"", message}
    of_self().request(message)
