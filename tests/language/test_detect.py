"""Languages of questions and documents."""

import pytest

from core.language.detect import detect_language


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


def test_a_chinese_text_without_telling_characters_is_simplified() -> None:
    assert detect_language("中文") == "zh-hans"
