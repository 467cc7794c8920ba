"""Names of a document: what is left out, one sure mention for all, other names in parentheses."""

import json
from pathlib import Path

import pytest

from core.app.bench.entities import score
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.graph.model import ExtractedName
from core.models.tagging.entity_tagger import OnnxEntityTagger
from tests.fakes.taggers import FakeTagger


def found(text: str, words: dict[str, str], *confidences: float) -> list[ExtractedName]:
    return BuiltinExtractor(FakeTagger(words, *confidences)).extract([text])[0]


def aliases(text: str, *names: str) -> dict[str, tuple[str, ...]]:
    return {each.name: each.aliases for each in found(text, dict.fromkeys(names, "ORGANIZATION"))}


def test_kinds_become_types() -> None:
    words = {"EskFlow": "PRODUCT", "Dune": "WORK", "entropy": "TERM", "Expo": "EVENT", "Ada": "PERSON"}
    types = {each.name: each.type for each in found("EskFlow, Dune, entropy, Expo and Ada.", words)}
    assert types == {
        "EskFlow": "TECHNOLOGY",
        "Dune": "CREATIVE_WORK",
        "entropy": "CONCEPT",
        "Expo": "EVENT",
        "Ada": "PERSON",
    }


def test_one_sure_mention_keeps_the_others() -> None:
    text = "Ada met Bo. ADA left. Bo stayed."
    kept = found(text, {"Ada": "PERSON", "ADA": "PERSON", "Bo": "PERSON"}, 0.98, 0.9, 0.3, 0.9)
    assert [each.name for each in kept] == ["Ada", "ADA"]


@pytest.mark.parametrize(
    ("text", "tagged", "name"),
    [
        ("他在日本。", "在日本", "日本"),
        ("，令吴三桂裁减兵员。", "吴三", "吴三桂"),
        ("董正超率团访问", "董正超率", "董正超"),
        ("开南大学校长来访", "开南大学", "开南大学"),
        ("高教处处长", "高教处", "高教处"),
        ("中国的,", "中国的", "中国"),
    ],
)
def test_chinese_names_end_with_words(text: str, tagged: str, name: str) -> None:
    assert [each.name for each in found(text, {tagged: "LOCATION"})] == [name]


def test_addresses_and_references_name_nothing() -> None:
    assert found("See https://lindqvist.example/Ada for more.", {"Ada": "PERSON"}) == []


def test_signs_and_single_letters_are_no_names() -> None:
    assert found("A 42 ** is here.", {"A": "TERM", "42": "TERM", r"\*\*": "TERM"}) == []
    assert found("Quote | N/A", {"N/A": "ORGANIZATION"}) == []
    assert [each.name for each in found("H&M | TCP/IP", {"H&M": "ORGANIZATION", "TCP/IP": "TERM"})] == ["H&M", "TCP/IP"]


def test_a_name_over_two_lines_is_written_in_one() -> None:
    assert [each.name for each in found("the Harrow\nValley", {"Harrow\nValley": "LOCATION"})] == ["Harrow Valley"]


def test_an_acronym_and_what_it_stands_for_are_aliases_of_each_other() -> None:
    given = aliases("The Harrow Water Board (HWB) met.", "Harrow Water Board", "HWB")
    assert given == {"Harrow Water Board": ("HWB",), "HWB": ("Harrow Water Board",)}
    assert aliases("We asked the HWB (Harrow Water Board).", "HWB", "Harrow Water Board")["HWB"] == (
        "Harrow Water Board",
    )


def test_a_part_of_a_name_in_parentheses_is_its_short_form() -> None:
    text = 'Zorbax Wholesale Corporation (together, "Zorbax") began in 1983.'
    assert aliases(text, "Zorbax Wholesale Corporation", "Zorbax")["Zorbax"] == ("Zorbax Wholesale Corporation",)
    text = "临江水务公司（以下简称“临江水务”）成立了。"
    assert aliases(text, "临江水务公司", "临江水务")["临江水务公司"] == ("临江水务",)


def test_a_name_of_another_script_alone_in_parentheses_is_the_same() -> None:
    assert aliases("云岭公司（Yunling）成立。", "云岭公司", "Yunling")["Yunling"] == ("云岭公司",)
    assert aliases("云岭公司（Yunling 的客户）。", "云岭公司", "Yunling")["Yunling"] == ()


def test_another_name_in_parentheses_stays_another() -> None:
    text = "Harrow Foods (a customer of Brindle) grew. Marlow (see Tarnow)."
    assert set(aliases(text, "Harrow Foods", "Brindle", "Marlow", "Tarnow").values()) == {()}


def test_the_network_reads_a_document() -> None:
    texts = ["Greta Varnholt wrote the plan of the Harrow Valley Water Board (HVWB).", "The HVWB thanked Varnholt."]
    rows = BuiltinExtractor(OnnxEntityTagger()).extract(texts)
    assert {each.name: each.type for row in rows for each in row} == {
        "Greta Varnholt": "PERSON",
        "Harrow Valley Water Board": "ORGANIZATION",
        "HVWB": "ORGANIZATION",
        "Varnholt": "PERSON",
    }


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "typed", "untyped"),
    [("crossner_ai_science_en.jsonl", 0.55, 0.66), ("uner_zh_gsdsimp_dev.jsonl", 0.61, 0.64)],
)
def test_quality_does_not_fall(shared_data: Path, name: str, typed: float, untyped: float) -> None:
    with (shared_data / "ner" / name).open(encoding="utf-8") as file:
        rows = score([json.loads(line) for line in file], BuiltinExtractor(OnnxEntityTagger()))
    both = {row[0]: row[3] for row in rows}
    assert both["all, typed"] > typed
    assert both["all, untyped"] > untyped
