"""Languages of questions and documents."""

import pytest

from core.platform.language.detect import LANGUAGES, UNKNOWN, detect_language, document_language, is_han


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Who developed KelpNet?", "en"),
        ("How often is each Lumen buoy calibrated?", "en"),
        ("hello", "en"),
        ("", "en"),
        ("12345 !!", "en"),
        ("KelpNet calibration layer", "en"),
        ("这篇论文的主要贡献是什么", "zh-hans"),
        ("這個標準規定了什麼內容", "zh-hant"),
        ("请问 BERT 是什么", "zh-hans"),
        ("关于“Marlow Sound Observatory”说了什么？", "zh-hans"),
        ("Who of 青屿 wrote the Marlow Sound Handbook?", "en"),
        ("日本の首都はどこですか", "ja"),
        ("Quelle est la contribution principale de cet article?", "fr"),
        ("Wer hat den Staudamm gebaut und wann wurde er fertig?", "de"),
        ("¿Cuál es la contribución principal de este artículo?", "es"),
        ("Каков главный вклад этой статьи?", "ru"),
    ],
)
def test_language_of_a_question(text: str, language: str) -> None:
    assert detect_language(text) == language


PEOPLE = " ".join(f"Sentence {at}: Anna Berg of Nimbus AG met Jonas Keller in Oslo on day {at}." for at in range(60))


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Meeting notes: Anna, Ben and Carl agreed on the new logo. Next meeting Tuesday.", "en"),
        (PEOPLE, "en"),
        ("name,role\nAnna Berg,engineer\nCarl Ode,designer", UNKNOWN),
        ("Tom Baker | Sales | 120", UNKNOWN),
        ("17, 18, 19", UNKNOWN),
        ("名称 | 数量\n苹果 | 3", "zh-hans"),
        ("名稱 | 數量\n蘋果 | 3", "zh-hant"),
        ("会議は九時に始まります。予算は少ないです。", "ja"),
        ("회의는 아홉 시에 시작합니다.", "ko"),
        ("Rechnung: Die Sitzung beginnt um neun Uhr, der Betrag ist am Montag fällig.", "de"),
        ("De vergadering is om negen uur in het kantoor. We hebben over het budget gesproken.", "nl"),
        ("La reunión empieza a las nueve. El presupuesto es pequeño.", "es"),
    ],
)
def test_the_language_of_a_document_is_right_or_unknown(text: str, language: str) -> None:
    assert document_language(text) == language


def test_dialects_and_small_languages_take_nothing_from_the_others() -> None:
    assert not {"wuu", "pcm", "bcl", "yue"} & LANGUAGES
    assert {"en", "zh", "de", "fr"} <= LANGUAGES


def test_a_chinese_text_without_telling_characters_is_simplified() -> None:
    assert detect_language("中文") == "zh-hans"


@pytest.mark.parametrize(
    ("text", "chinese"),
    [
        ("付款後多久可以收到 License？", True),
        ("Enterprise: 專屬 Slack 頻道，只限工作日", True),
        ("The station 观测站 was founded in 2016.", False),
    ],
)
def test_a_character_counts_as_some_letters(text: str, chinese: bool) -> None:
    assert is_han(text) is chinese
