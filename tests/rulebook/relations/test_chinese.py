"""What Chinese sentences state of the names in them."""

import pytest

from tests.rulebook.relations.test_english import told


@pytest.mark.parametrize(
    ("sentence", "expected"),
    [
        ("[O 北海航运公司]收购了[O 林德公司]。", ("北海航运公司", "收购", "林德公司")),
        ("[O 林德公司]被[O 北海航运公司]收购。", ("北海航运公司", "收购", "林德公司")),
        ("[O 林德公司]由[P 何英]创立。", ("何英", "创立", "林德公司")),
        ("[O 林德公司]是[O 北海航运公司]的子公司。", ("北海航运公司", "子公司", "林德公司")),
        ("[O 林德公司]位于[L 青岛]。", ("林德公司", "位于", "青岛")),
        ("[O 林德公司]隶属于[O 北海航运公司]。", ("林德公司", "隶属于", "北海航运公司")),
        ("[O 北海大学]校长[P 何英]出席会议。", ("北海大学", "校长", "何英")),
        ("[P 何英]毕业于[O 北海大学]。", ("何英", "毕业于", "北海大学")),
        ("[O 北海大学]党委书记[P 何英]，校长[P 陈明]出席。", ("北海大学", "校长", "陈明")),
        ("[P 何英]现任[O 北海航运公司]董事长。", ("北海航运公司", "董事长", "何英")),
        ("[P 何英]在[O 北海大学]任教。", ("何英", "在…任教", "北海大学")),
        ("[O 北海大学]与[O 林德公司]合作。", ("北海大学", "与…合作", "林德公司")),
        ("[O 林德公司]是一家位于[L 青岛]的企业。", ("林德公司", "位于", "青岛")),
        ("[O 林德公司]成立于1990年，总部位于[L 青岛]。", ("林德公司", "总部位于", "青岛")),
        ("[O 林德公司]收購了[O 北海公司]。", ("林德公司", "收购", "北海公司")),
        ("[O 林德公司]建于1990年，2001年更名为“[O 北海公司]”。", ("林德公司", "更名为", "北海公司")),
        ("[P 何英]于1990年参加[O 北海协会]。", ("何英", "参加", "北海协会")),
        ("[P 何英](1910-1990),原名[P 何小英]。", ("何英", "原名", "何小英")),
        ("[P 何英]（1910-1990），字[P 伯敬]。", ("何英", "字", "伯敬")),
        ("[O 北海大学]位于[L 青岛]，现任校长为[P 何英]。", ("北海大学", "现任校长", "何英")),
        ("[O 北海大学]校长[P 何英]访问[L 青岛]。", ("何英", "访问", "青岛")),
        ("[P 何英]任[O 林德公司]董事长、[O 北海协会]委员。", ("北海协会", "委员", "何英")),
        ("[O 林德公司]受[O 北海大学]邀请。", ("北海大学", "邀请", "林德公司")),
        ("[O 林德公司]有[O 北海公司]、[O 青岛公司]等企业。", ("林德公司", "有", "青岛公司")),
    ],
)
def test_what_is_stated(sentence: str, expected: tuple[str, str, str]) -> None:
    assert expected in told(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "[O 北海航运公司]没有收购[O 林德公司]。",
        "[O 北海航运公司]拟收购[O 林德公司]。",
        "[O 北海航运公司]计划收购[O 林德公司]。",
        "如果[O 北海航运公司]收购[O 林德公司]，价格会涨。",
        "[O 北海航运公司]可能收购[O 林德公司]。",
        "[O 北海航运公司]收购了[O 林德公司]吗？",
        "[O 北海航运公司]应当支持[O 林德公司]。",
    ],
)
def test_what_is_denied_planned_or_asked_is_no_fact(sentence: str) -> None:
    assert not told(sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "演员[P 何英]主演的《[T 武则天]》、台湾演员[P 陈明]出席。",
        "[L 北海]）汇合，流入[L 青岛]。",
        "[P 何英]：作家，简称[P 陈明]。",
        "[O 北海大学]成立，校长是[O 北海大学]。",
        "院长[P 何英]、[O 北海大学]相关负责人[P 陈明]发言。",
    ],
)
def test_what_stands_beside_a_name_is_not_said_of_it(sentence: str) -> None:
    assert not told(sentence)


def test_a_place_is_told_once_of_what_something_is() -> None:
    assert told("[O 北海中学]，为一所位于[L 青岛]的中学。") == {("北海中学", "位于", "青岛")}


def test_the_next_clause_goes_on_with_the_subject() -> None:
    assert ("何英", "就读于", "北海大学") in told("[P 何英]生于[L 青岛]，曾就读于[O 北海大学]。")


def test_a_list_is_said_of_each() -> None:
    said = told("[O 北海航运公司]收购了[O 林德公司]、[O 青岛公司]和[O 何氏公司]。")
    assert {target for _, _, target in said} == {"林德公司", "青岛公司", "何氏公司"}


@pytest.mark.parametrize(
    "sentence",
    [
        "本公司向[O Tencent Holdings]、[O Alibaba Group]、[O Baidu Inc]等公司采购。",
        "[O Sequoia Capital], [O Goldman Sachs], [O Morgan Stanley] 等公司 [P John Smith]",
        "客户包括[O Intel]、[O AMD]、[T Nvidia]等，CEO [P Lisa Su]出席。",
    ],
)
def test_a_list_of_foreign_names_is_not_read_as_english(sentence: str) -> None:
    assert not told(sentence)


def test_foreign_names_are_read_by_the_words_between_them() -> None:
    assert ("Nordsee Holding AG", "收购", "Lund Shipping") in told("[O Nordsee Holding AG]收购了[O Lund Shipping]。")
