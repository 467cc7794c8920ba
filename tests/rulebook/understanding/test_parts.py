"""Two questions in one message: split only where that is certain."""

import pytest

from core.rulebook.understanding.question_splitting import parts_of


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "When was the Harlow Institute founded and who leads it?",
            ("When was the Harlow Institute founded?", "Who leads Harlow Institute?"),
        ),
        ("What is TideGraph, and who developed it?", ("What is TideGraph?", "Who developed TideGraph?")),
        (
            "Who is the skipper and how long has she worked there?",
            ("Who is the skipper?", "How long has the skipper worked there?"),
        ),
        ("how deep is L4 and when was it put in service", ("How deep is L4?", "When was L4 put in service?")),
        ("Who is Ada Byron? Where does she work?", ("Who is Ada Byron?", "Where does Ada Byron work?")),
        (
            "When was TideGraph released and how many buoys does Harlow run?",
            ("When was TideGraph released?", "How many buoys does Harlow run?"),
        ),
        ("海港局是什么时候成立的，由谁领导？", ("海港局是什么时候成立的？", "海港局由谁领导？")),
        ("KelpNet是什么，它是谁开发的？", ("KelpNet是什么？", "KelpNet是谁开发的？")),
        ("海港局何時成立，局長是誰？", ("海港局何時成立？", "局長是誰？")),
        ("红色预警由谁批准，多久发布一次？", ("红色预警由谁批准？", "红色预警多久发布一次？")),
        (
            "How much is the deposit and when is it paid back?",
            ("How much is the deposit?", "When is the deposit paid back?"),
        ),
        ("押金是多少，什么时候退还？", ("押金是多少？", "押金什么时候退还？")),
        ("What does a ticket cost and can I take a bicycle?", ("What does a ticket cost?", "Can I take a bicycle?")),
        (
            "How soon is it sent and for which countries are duties paid?",
            ("How soon is it sent?", "For which countries are duties paid?"),
        ),
        (
            "When does the bakery open on Sunday and who founded it?",
            ("When does the bakery open on Sunday?", "Who founded the bakery?"),
        ),
        (
            "Do you sell rye bread and what does it cost?",
            ("Do you sell rye bread?", "What does rye bread cost?"),
        ),
        (
            "What does the annual pass cost and where is it sold?",
            ("What does the annual pass cost?", "Where is the annual pass sold?"),
        ),
        (
            "How many people may sail on the Petrel and who is its skipper?",
            ("How many people may sail on the Petrel?", "Who is Petrel's skipper?"),
        ),
        (
            "How many Lumen buoys are there and who maintains them?",
            ("How many Lumen buoys are there?", "Who maintains Lumen buoys?"),
        ),
        (
            "What is the phone number of the harbour master and what is his salary?",
            ("What is the phone number of the harbour master?", "What is the harbour master's salary?"),
        ),
        (
            "What is KelpNet's error and who developed it?",
            ("What is KelpNet's error?", "Who developed KelpNet?"),
        ),
        (
            "How do I register and what happens if I am late?",
            ("How do I register?", "What happens if I am late?"),
        ),
        ("船票多少钱，可以带自行车上船吗？", ("船票多少钱？", "可以带自行车上船吗？")),
    ],
)
def test_two_questions_are_told_apart_and_each_stands_alone(question: str, parts: tuple[str, str]) -> None:
    assert parts_of(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "When was KelpNet developed and by whom?",
        "Tell me what KelpNet is and how it works",
        "What happens when a buoy is silent and when it rains?",
        "What is the difference between what Ada and what Grace say?",
        "Which buoys are red and which are blue?",
        "What are research and development costs?",
        "How often are buoys calibrated, and who does it?",
        "Who leads the station and the trust?",
        "如果浮标失联，应该怎么办？",
        "A和B有什么区别，哪个更好？",
        "Hello? Is anyone there?",
        "",
    ],
)
def test_whatever_is_not_certain_is_one_question(question: str) -> None:
    assert parts_of(question) == ()
