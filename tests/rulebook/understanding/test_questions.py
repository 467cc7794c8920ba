"""Reading questions: their kind, their polite wrapping, whether they are questions to the documents at all."""

import pytest

from core.rulebook.messages import KnownNames, resolve
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.followups import leans_on_history
from core.rulebook.understanding.questions import essence, kind_of, strip_frames
from core.rulebook.understanding.statements import PersonalMessage
from core.runs.model import Turn

NAMES = KnownNames(("Marlow Sound Observatory", "KelpNet", "校准层"), ("Ingrid Solheim",))


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("What is the main contribution of this paper?", QuestionKind.OVERVIEW),
        ("What is this document about?", QuestionKind.OVERVIEW),
        ("Summarize the handbook", QuestionKind.OVERVIEW),
        ("這篇論文的主要內容是什麼？", QuestionKind.OVERVIEW),
        ("本手册规定了什么？", QuestionKind.OVERVIEW),
        ("文档里有什么？", QuestionKind.OVERVIEW),
        ("与KelpNet相关的有哪些？", QuestionKind.RELATION),
        ("校准层周围有什么？", QuestionKind.RELATION),
        ("与手册相关的规定有哪些？", QuestionKind.LIST),
        ("关于“海洋局”说了什么？", QuestionKind.FACT),
        ("What does the document say about trees?", QuestionKind.FACT),
        ("What is KelpNet?", QuestionKind.DEFINITION),
        ("校准层是什么？", QuestionKind.DEFINITION),
        ("Who leads the station?", QuestionKind.WHO),
        ("站长是谁？", QuestionKind.WHO),
        ("When was it founded?", QuestionKind.WHEN),
        ("观测站成立于哪一年？", QuestionKind.WHEN),
        ("I have filed the form; when may I buy the ticket?", QuestionKind.WHEN),
        ("Do you know when the office opens?", QuestionKind.WHEN),
        ("Until when can I register?", QuestionKind.WHEN),
        ("Who started it and when?", QuestionKind.WHEN),
        ("What do I do when my laptop is stolen?", QuestionKind.FACT),
        ("Who decides when there is a tie?", QuestionKind.WHO),
        ("How do I reset it when it hangs?", QuestionKind.HOW),
        ("Where does the river end?", QuestionKind.WHERE),
        ("How often are buoys calibrated?", QuestionKind.HOW_MANY),
        ("二级公路停车区用地指标基准值是多少？", QuestionKind.HOW_MANY),
        ("What is the difference between L1 and L2?", QuestionKind.COMPARISON),
        ("Who is younger, Mart Van Duren or Madeleine Simms?", QuestionKind.COMPARISON),
        ("What are the alert levels?", QuestionKind.LIST),
        ("红色预警的措施有哪些？", QuestionKind.LIST),
        ("Why is the bay smaller?", QuestionKind.WHY),
        ("How does the network work?", QuestionKind.HOW),
        ("KelpNet", QuestionKind.FACT),
    ],
)
def test_kind(question: str, kind: QuestionKind) -> None:
    assert kind_of(question) is kind


@pytest.mark.parametrize(
    ("question", "bare"),
    [
        ("Could you please tell me who leads the station?", "who leads the station?"),
        ("请问站长是谁？", "站长是谁？"),
        ("你能告诉我站长是谁吗？", "站长是谁吗？"),
        ("Hello, what is SeaLoom?", "what is SeaLoom?"),
        ("please", "please"),
    ],
)
def test_polite_words_are_stripped_but_never_all_words(question: str, bare: str) -> None:
    assert strip_frames(question) == bare


def test_the_essence_names_what_has_to_be_found() -> None:
    assert essence("What is the main contribution of this paper?") == "What is the of"
    assert essence("谁是站长？") == "站长"
    assert essence("这些文档讲了什么？") == ""
    assert essence("关于“海洋局”说了什么？") == "“海洋局”"
    assert essence("How does the network work?") == "the network"
    assert essence("和林雨晴有关的有哪些？") == "林雨晴"


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("My name is Anna and I like tea.", "My name is Anna and I like tea"),
        ("我叫张伟。校准层是什么？", "名字：张伟"),
        ("我叫陳怡君，我對花生過敏。", "我叫陳怡君，我對花生過敏"),
        ("Call me Ann and I like tea.", "Call me Ann and I like tea"),
        ("I prefer short answers.", "I prefer short answers"),
        ("I am looking for the buoys", ""),
        ("I'd like to know who leads the station", ""),
        ("我是谁？", ""),
        ("我想知道站长是谁", ""),
        ("Do you remember my name?", ""),
        ("What do I have to remember about buoys?", ""),
    ],
)
def test_what_the_user_says_of_themselves(message: str, said: str) -> None:
    found = PersonalMessage(message).statement
    assert (found.text if found else "") == said


def test_a_statement_with_a_question_is_not_only_a_statement() -> None:
    assert PersonalMessage("I am a nurse.").is_only_a_statement
    assert not PersonalMessage("I am a nurse. What is KelpNet?").is_only_a_statement


@pytest.mark.parametrize(
    ("turns", "resolved"),
    [
        (["What is KelpNet?", "and its neighbours?"], "KelpNet's neighbours?"),
        (["What is KelpNet?", "Who developed it?"], "Who developed KelpNet?"),
        (["校准层是什么？", "它呢？"], "校准层？"),
        (["校准层是什么？", "其作用是什么？"], "校准层的作用是什么？"),
        (["What was Costco's revenue in 2021?", "and in 2022?"], "What was Costco's revenue in 2022?"),
        (["2020年的收入是多少？", "那2021年呢？"], "2021年的收入是多少？"),
        (["红色预警的阈值是多少？", "那黄色预警呢？"], "黄色预警的阈值是多少？"),
        (["What is the water depth of L1?", "what about buoy L5"], "What is the water depth of buoy L5?"),
        (["What is KelpNet?", "tell me more"], "What is KelpNet?"),
        (["What is KelpNet?", "why?"], "why: What is KelpNet?"),
        (["Who leads the station?", "What is her job?"], "What is Ingrid Solheim's job?"),
        (["What is KelpNet?", "and TideGraph?", "how about SeaLoom?", "who maintains it?"], "who maintains SeaLoom?"),
        (["What is KelpNet?", "What are the alert levels?"], "What are the alert levels?"),
        (["What is KelpNet?", "Is it possible to see L1?"], "Is it possible to see L1?"),
        (["What is KelpNet?", "What is this paper about?"], "What is this paper about?"),
        (["and its neighbours?"], "and its neighbours?"),
    ],
)
def test_follow_ups_are_resolved(turns: list[str], resolved: str) -> None:
    history = [Turn("user", question) for question in turns[:-1]]
    assert resolve(turns[-1], history, NAMES) == resolved


def test_a_question_with_its_own_antecedent_leans_on_nothing() -> None:
    assert not leans_on_history("What is KelpNet and who developed it?")


@pytest.mark.parametrize("piece", ["please ", "tell me ", "it and ", "my name ", "请问", "a" * 30 + " ", "的"])
def test_hostile_repetition_is_read_in_time(piece: str) -> None:
    message = (piece * 4000)[:4000]
    for read in (kind_of, strip_frames, essence, leans_on_history):
        read(message)
    _ = PersonalMessage(message).statement
