"""What the Chinese rules find, with jieba's dictionary."""

from itertools import pairwise

import pytest

from core.graph.model import ExtractedName
from core.rulebook.entities.chinese.extractor import extract_chinese
from core.rulebook.entities.chinese.segmentation import dictionary


def found(*texts: str) -> list[ExtractedName]:
    rows = extract_chinese(texts, [[] for _ in texts], dictionary())
    for text, row in zip(texts, rows, strict=True):
        assert all(text[entity.start : entity.end] == entity.name for entity in row)
        assert all(left.end <= right.start for left, right in pairwise(row))
    return [entity for row in rows for entity in row]


def names(*texts: str) -> dict[str, str]:
    return {entity.name: entity.type for entity in found(*texts)}


def test_persons_places_and_organisations() -> None:
    text = "云岭灌区管理局委托临江水务公司建设泵站，项目负责人为周启明，工程位于浙江省杭州市。"
    assert names(text) == {
        "云岭灌区管理局": "ORGANIZATION",
        "临江水务公司": "ORGANIZATION",
        "周启明": "PERSON",
        "浙江省杭州市": "LOCATION",
    }


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("昨天蔡英文总统发表了讲话。", "蔡英文", "PERSON"),
        ("后来菲德尔·卡斯特罗去世了。", "菲德尔·卡斯特罗", "PERSON"),
        ("他移居到埃德蒙顿。", "埃德蒙顿", "LOCATION"),
        ("这本书是司马光写的。", "司马光", "PERSON"),
        ("她毕业于江南大学。", "江南大学", "ORGANIZATION"),
        ("他在《民声日报》上写文章。", "民声日报", "CONCEPT"),
        ("灌区采用名为“润禾”的软件。", "润禾", "CONCEPT"),
        ("程序用PostgreSQL保存数据。", "PostgreSQL", "TECHNOLOGY"),
        ("这里使用卷积神经网络。", "卷积神经网络", "TECHNOLOGY"),
    ],
)
def test_names_by_rule(text: str, name: str, kind: str) -> None:
    assert names(text).get(name) == kind


def test_peoples_and_languages_are_no_places() -> None:
    assert names("日本人会说孟加拉语，但不会说法国话。") == {}


def test_everyday_words_numbers_and_dates_are_no_entities() -> None:
    assert names("第三条：2013年8月26日，问题主要是高度重视不够，如表2所示，共500元。") == {}


def test_a_date_is_cut_before_the_country() -> None:
    assert names("2013年8月26日本赛季结束。") == {}


def test_other_names_in_parentheses_are_aliases() -> None:
    text = "长短期记忆网络（LSTM）很常用。临江水务公司（以下简称“临江水务”）成立了。后来临江水务倒闭。"
    aliases = {entity.name: entity.aliases for entity in found(text)}
    assert aliases["长短期记忆网络"] == ("LSTM",)
    assert aliases["LSTM"] == ("长短期记忆网络",)
    assert aliases["临江水务公司"] == ("临江水务",)
    assert names(text)["临江水务"] == "ORGANIZATION"


def test_nouns_that_come_again_are_terms() -> None:
    assert "水位监测点" in names("新增水位监测点三处。", "水位监测点已经验收。", "他们检查水位监测点。")


def test_the_ending_of_an_institute_or_a_firm_tells_an_organisation() -> None:
    assert names("青屿海洋研究所位于海边。", "青屿海洋研究所很大。")["青屿海洋研究所"] == "ORGANIZATION"
    assert names("北辰机器人有限公司很大。", "北辰机器人有限公司生产。")["北辰机器人有限公司"] == "ORGANIZATION"


def test_a_modifier_that_is_always_there_is_a_part_of_the_term() -> None:
    text = "本节介绍主成分分析。主成分分析很常用。算法是主成分分析。"
    assert "主成分分析" in names(text)
    assert "成分分析" not in names(text)
    assert "大电商平台" not in names("欢迎去各大电商平台选购。各大电商平台有售。上各大电商平台。")
    assert "成分分析" in names(f"{text}成分分析另有方法。")


def test_every_mention_is_found() -> None:
    assert [e.name for e in found("周启明来了。", "大家欢迎周启明，周启明很高兴。")] == ["周启明"] * 3


def test_formulas_and_everyday_english_words_are_no_names() -> None:
    assert names("设 x 为 wTx 的值，cost 和 min 不变，见 Table 3。") == {}


def test_empty_and_odd_texts_are_fine() -> None:
    assert found("", "。。。", "·" * 50, "《" * 50, "（" * 50, "一" * 300) == []


def test_the_front_of_a_term_is_no_person() -> None:
    texts = ("计算欧氏距离。", "两点的欧氏距离更小。", "用欧氏距离度量。")
    assert "欧氏" not in names(*texts)
    assert names(*texts)["欧氏距离"] == "CONCEPT"


def test_what_stands_in_formulas_is_a_variable() -> None:
    assert "LL" not in names("令 LL(θ) = 3，则 LL(θ) 增大。", "可见 LL 增大。")
    assert "SVM" in names("使用 SVM 分类。", "常用 SVM（支持向量机）。")


def test_a_quotation_inside_another_one_ends_neither_too_early() -> None:
    assert not any("“" in name for name in names("参见“仓库层的“Zorbax”文件”。", "参见“仓库层的“Zorbax”文件”。"))


def test_latin_words_in_small_letters_are_programs_and_no_files() -> None:
    texts = (
        "使用 zorbaxd 软件包。",
        "运行 zorbaxd 命令。",
        "修改 zorb.conf 文件。",
        "查看 zorb.conf 文件。",
        "输入“my_name”，再输入“my_name”。",
    )
    assert names(*texts)["zorbaxd"] == "TECHNOLOGY"
    assert not names(*texts).keys() & {"zorb.conf", "my_name"}


def test_the_parts_of_paths_are_no_names() -> None:
    assert "Tarnow" not in names("打开 /etc/Tarnow/ 目录。", "参见 ~/Tarnow/a 和 /usr/Tarnow 目录。")
    assert "Tarnow" in names("打开 /etc/Tarnow/ 目录。", "程序 Tarnow 由 Tarnow 公司开发。")
