"""Values of corrections in the place of those before, and what is too uncertain for that."""

import pytest

from core.rulebook.messages import PersonalMessage
from core.rulebook.understanding.corrections import with_value_of


@pytest.mark.parametrize(
    ("older", "said", "corrected"),
    [
        ("Sister's name: Karin", "sorry, I meant Carina", "Sister's name: Carina"),
        ("Favourite colour: green", "actually it's blue", "Favourite colour: blue"),
        ("Our train leaves at 9:40 on Friday", "no wait, it's 10:40", "Our train leaves at 10:40 on Friday"),
        ("Dentist on 9 December", "make that 11 December", "Dentist on 11 December"),
        ("Rent is 780 a month, due on the 1st", "hang on it's 790", "Rent is 790 a month, due on the 1st"),
        ("I have two cats", "no, three", "I have three cats"),
        ("My locker is 21 on floor 1", "no wait, it's 3", "My locker is 21 on floor 3"),
        ("We meet at 10:30 in room 30", "sorry, room 40", "We meet at 10:30 in room 40"),
        ("Sweep: on thursday", "sorry I mean Friday, not Thursday", "Sweep: on Friday"),
        ("I work at Siemens", "sorry, I meant Bosch", "I work at Bosch"),
        ("车牌号：浙A·8K219", "不对，是浙A·8K216。", "车牌号：浙A·8K216"),
        ("我们周三下午开会", "等等，应该是周四", "我们周四下午开会"),
        ("我爸以前是电工，喜欢钓鱼", "说错了，不是电工，是焊工", "我爸以前是焊工，喜欢钓鱼"),
        ("我女儿朵朵6岁，对花生过敏", "订正一下：朵朵是对腰果过敏，不是花生。", "我女儿朵朵6岁，对腰果过敏"),
        ("我女儿朵朵6岁，对花生过敏", "不对，朵朵不是对花生过敏，是对腰果过敏。", "我女儿朵朵6岁，对腰果过敏"),
        (
            "My son Max is 9 and is afraid of dogs",
            "No, Max is not afraid of dogs but of wasps.",
            "My son Max is 9 and is afraid of wasps",
        ),
        ("I work at Siemens in Graz", "Correction: I work at Bosch, not Siemens", "I work at Bosch in Graz"),
    ],
)
def test_a_value_that_both_have_once_is_replaced(older: str, said: str, corrected: str) -> None:
    assert with_value_of(older, said) == corrected


@pytest.mark.parametrize(
    ("older", "said"),
    [
        ("My brother Tomas lives in Prague, he's a vet", "no wait, he's 23"),
        ("I live in Leeds", "no wait, he moved to Rome"),
        ("Mum takes 5 mg in the mornings", "10 mg, they upped it"),
        ("The flight is at 3 or at 5", "no, at 4"),
        ("Cat: black", "sorry, I meant the dog is black"),
        ("我女儿朵朵6岁，对花生过敏", "建国不是对花生过敏，是对腰果过敏"),
        ("My daughter is allergic to peanuts", "My son is allergic to cashews, not peanuts"),
    ],
)
def test_what_is_not_certain_is_left_to_the_words(older: str, said: str) -> None:
    assert with_value_of(older, said) == ""


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        ("My mum's birthday is on 4 June, no wait, it's 5 June", "Mum's birthday: on 5 June"),
        ("我周三开会，不对，是周四", "我周四开会"),
        ("No wait, we are flying on 16 March", "We are flying on 16 March"),
        ("My daughter Ella is 7 and is allergic to peanuts", "My daughter Ella is 7 and is allergic to peanuts"),
        ("There is no time, no wait", "There is no time, no wait"),
    ],
)
def test_a_statement_is_kept_as_it_corrects_itself(message: str, fact: str) -> None:
    assert [told.text for told in PersonalMessage(message).told.values()] == [fact]


def test_a_greeting_is_not_kept() -> None:
    (told,) = PersonalMessage("Hi, I'm Nadia and I live in Leeds.").told.values()
    assert told.facts == ("I'm Nadia", "I live in Leeds")
    (told,) = PersonalMessage("你好，我叫陈思远，住在杭州").told.values()
    assert told.text == "我叫陈思远，住在杭州"


@pytest.mark.parametrize(
    "message", ["Ines and I broke up", "My sister and I share a flat", "The dog and I live in Leeds"]
)
def test_and_i_does_not_part_two_who_do_something_together(message: str) -> None:
    assert [each.facts for each in PersonalMessage(message).told.values()] == [(message,)]
