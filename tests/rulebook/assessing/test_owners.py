"""What a question names as owner or kind has to be what a statement is about."""

import pytest

from core.rulebook.evidence import is_about_what_is_named


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
        ("When is my mother's birthday?", "My mum's birthday is on 4 May", "My mother-in-law's birthday is on 4 May"),
        ("Who is my boss?", "My boss is Karl", "My boss's wife is Eva"),
        ("我妈在哪里工作？", "我母亲在银行工作", "我姑妈在银行工作"),
        ("我妹叫什么？", "我妹妹叫李娜", "我妹夫叫王强"),
        ("我女朋友几岁？", "我女友二十岁", "我女儿六岁"),
        ("我的车牌号是多少？", "我的车牌号是京A99999", "我的朋友的车牌号是京A12345"),
        ("我的车牌号是多少？", "我的车牌号是京A99999", "张伟的车牌号是京A12345"),
        ("我老板是谁？", "我老板是王强", "我老板的妻子是李娜"),
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
        ("What's my brother's number?", "My brother Tom's number is 555 0199"),
        ("What's Tom's number?", "My brother Tom's number is 555 0199"),
        ("When is my wife's birthday?", "My wife Jana's birthday is on 4 May"),
        ("When is my wife Jana's birthday?", "My wife's birthday is on 4 May"),
        ("When is my partner's birthday?", "My wife's birthday is on 4 May"),
        ("我的职业是什么？", "我是公务员"),
        ("我的职业是什么？", "我是儿科医生"),
        ("我在哪里上班？", "我在公司做财务"),
        ("我住在哪里？", "我和妻子住在台北"),
        ("我老婆喜欢什么？", "我太太喜欢百合花"),
        ("我的妻子是谁？", "王丽是我的妻子"),
    ],
)
def test_what_the_question_leaves_open_may_be_anything(question: str, statement: str) -> None:
    assert is_about_what_is_named(question, statement, None)
