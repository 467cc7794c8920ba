"""Follow-ups: what they lean on, and when no model is needed to tell."""

import pytest

from core.rulebook.messages import KnownNames, Question, resolve, resolves_clearly, with_told
from core.runs.model import Turn


def told(*asked: str) -> list[Turn]:
    return [turn for question in asked for turn in (Turn("user", question), Turn("assistant", "…"))]


@pytest.mark.parametrize(
    ("before", "known", "question", "standing"),
    [
        (
            "Tell me about The Little Shop of Horrors.",
            ("Little Shop",),
            "What is the publication date of it?",
            "What is the publication date of The Little Shop of Horrors?",
        ),
        (
            "Tell me about People Not as Bad as They Seem.",
            (),
            "Who directed it?",
            "Who directed People Not as Bad as They Seem?",
        ),
        ("介绍一下塔乌鲁火山。", ("塔乌鲁",), "它坐落于什么地方？", "塔乌鲁火山坐落于什么地方？"),
        ("Describe the neural network KelpNet", ("KelpNet",), "Who developed it?", "Who developed KelpNet?"),
        ("介绍一下校准层的作用。", ("校准层",), "它用在哪里？", "校准层用在哪里？"),
        ("KelpNet是什么？", ("KelpNet",), "它的相邻实体呢？", "KelpNet的相邻实体？"),
        ("什么是KelpNet？", (), "它的作者是谁？", "KelpNet的作者是谁？"),
    ],
)
def test_a_title_is_taken_whole_and_a_description_by_its_known_name(
    before: str, known: tuple[str, ...], question: str, standing: str
) -> None:
    names = KnownNames(known)
    assert resolve(question, told(before), names) == standing
    assert resolves_clearly(question, told(before), names)


@pytest.mark.parametrize(
    ("question", "standing"),
    [
        ("那要幾時退？", "裝修保證金要幾時退？"),
        ("那什么时候退？", "裝修保證金什么时候退？"),
        ("那要幾時退還給業主？", "要幾時退還給業主"),
    ],
)
def test_a_follow_up_completed_from_the_question_before_is_one_question(question: str, standing: str) -> None:
    resolved = resolve(question, told("裝修保證金要多少錢？"), KnownNames())
    assert resolved == standing
    assert Question(resolved).parts == ()


@pytest.mark.parametrize(
    ("history", "known", "question"),
    [
        (("How do KelpNet and Karenia differ?",), ("KelpNet", "Karenia"), "Who developed it?"),
        (("Who developed KelpNet?", "And when was it?"), ("KelpNet",), "Where does she live?"),
        (("Who developed KelpNet?",), ("KelpNet",), "And the second one?"),
        (("Who developed KelpNet?",), ("KelpNet",), "Tell me more"),
        ((), ("KelpNet",), "Who developed it?"),
    ],
)
def test_two_things_a_chain_of_follow_ups_or_no_pronoun_are_not_clear(
    history: tuple[str, ...], known: tuple[str, ...], question: str
) -> None:
    assert not resolves_clearly(question, told(*history), KnownNames(known))


@pytest.mark.parametrize(
    ("asked", "statement", "label", "question", "meant"),
    [
        ("Where does my sister work?", "My sister works for Siemens", "", "When does she start?", "my sister"),
        ("What does my brother drive?", "My brother drives a Skoda", "", "How old is he?", "my brother"),
        ("Where does my wife work?", "My wife Jana works for Siemens", "", "How old is she?", "my wife Jana"),
        ("What does Mira do?", "Sister Mira: a nurse", "Sister Mira", "How old is she?", "my sister Mira"),
        ("When is my aunt's birthday?", "My aunt's birthday is on 4 May", "", "Where does she live?", "my aunt"),
        ("What does my cat eat?", "My cat eats Whiskas", "", "How old is it?", "my cat"),
        ("Who is my dentist?", "Dentist: Dr. Li", "Dentist", "When did I last see her?", "Dr. Li"),
        ("妻子做什么？", "妻子：老师", "妻子", "她在哪里工作？", "我的妻子"),
        ("我的妻子在哪里工作？", "我的妻子在西门子工作", "", "她几岁？", "我的妻子"),
        ("我的牙医是谁？", "牙医：王丽", "牙医", "她的诊所在哪里？", "王丽"),
    ],
)
def test_a_pronoun_stands_for_whom_a_statement_is_about_and_not_for_what_it_says(
    asked: str, statement: str, label: str, question: str, meant: str
) -> None:
    value = statement.removeprefix(label).lstrip(":： ")
    names = with_told(KnownNames(), question, asked, statement, (label, value))
    assert (*names.people, *names.things) == (meant,)
