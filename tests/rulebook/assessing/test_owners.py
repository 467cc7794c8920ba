"""What a question names as owner or kind has to be what a statement is about."""

import pytest

from core.rulebook.messages import is_about_what_is_named


@pytest.mark.parametrize(
    ("question", "statement", "other"),
    [
        ("What does my wife do for a living?", "My wife Jana teaches physics", "Sister Mira: a nurse"),
        ("What is my sister's job?", "Sister Mira: a nurse", "My wife Jana teaches physics"),
        ("When is the birthday of my uncle?", "Uncle's birthday: on 4 May", "My aunt turns 60 on 9 August"),
        ("Where was I born?", "I was born in Bergen", "My mother was born in Porto"),
        ("What's the cabin password?", "The password of the cabin is otter", "The password of the office is tern"),
        ("What does my health insurance cost?", "Health insurance: 90 euros", "The house insurance costs 210 euros"),
        ("Which password do I need for the office?", "Password of the office: tern", "Password of the cabin: otter"),
        ("我丈夫喜欢什么？", "我丈夫喜欢钓鱼", "我妻子喜欢百合花"),
        ("我在哪里出生？", "我出生在大连", "我妈妈出生在苏州"),
        ("车库的密码是多少？", "车库的密码是5512", "仓库的密码是9876"),
        ("我媽媽在哪裡出生？", "我妈妈出生在苏州", "我爸爸出生在大连"),
    ],
)
def test_another_relative_or_another_thing_of_the_kind_is_told_apart(question: str, statement: str, other: str) -> None:
    assert is_about_what_is_named(question, statement, None)
    assert not is_about_what_is_named(question, other, None)


@pytest.mark.parametrize(
    ("question", "statement"),
    [
        ("What is my number plate?", "My car is a blue Skoda Octavia with the plate 1-KLM-204"),
        ("What is the wifi password?", "The wifi password of the workshop is larch-42-otter"),
        ("What does Tomas repair?", "My brother Tomas repairs clarinets"),
        ("Who repairs clarinets?", "My brother Tomas repairs clarinets"),
        ("What is my job?", "I work as a carpenter in Graz"),
        ("我的职业是什么？", "我在上海一家医院当药剂师"),
        ("密码是多少？", "仓库的密码是9876"),
    ],
)
def test_what_the_question_leaves_open_may_be_anything(question: str, statement: str) -> None:
    assert is_about_what_is_named(question, statement, None)
