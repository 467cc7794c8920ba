"""Which language and script a text is in."""

import re
from functools import cache
from typing import Any

_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_KANA_HANGUL = re.compile(r"[\u3040-\u30ff\uac00-\ud7af]")
_LETTER = re.compile(r"[^\W\d_]")


def detect_language(text: str) -> str:
    """`zh-hans`, `zh-hant`, `en`, or another ISO 639-1 code; `en` when there is nothing to go by.

    A Han character counts as two letters: "请问 BERT 是什么" is a Chinese question about an English name.
    """
    sample = text[:4000]
    han = len(_HAN.findall(sample))
    letters = len(_LETTER.findall(sample))
    if han and 2 * han >= letters - han and len(_KANA_HANGUL.findall(sample)) * 8 < han:
        return chinese_script(sample)
    if letters < 12 and sample.isascii():
        return "en"
    return str(_identifier().classify(sample)[0]) if letters else "en"


def chinese_script(text: str) -> str:
    """`zh-hant` when more characters are traditional-only than simplified-only."""
    return "zh-hant" if script_evidence(text) > 0 else "zh-hans"


def script_evidence(text: str) -> int:
    """How many more characters are traditional-only than simplified-only; 0 when the script does not show."""
    simplified = _converter("t2s").convert(text)
    traditional = _converter("s2t").convert(text)
    traditional_only = sum(a != b for a, b in zip(text, simplified, strict=False))
    simplified_only = sum(a != b for a, b in zip(text, traditional, strict=False))
    return int(traditional_only - simplified_only)


@cache
def _converter(configuration: str) -> Any:
    from opencc import OpenCC

    return OpenCC(configuration)


@cache
def _identifier() -> Any:
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    return LanguageIdentifier.from_model_file(MODEL_FILE)
