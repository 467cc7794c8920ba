"""Detects the language and script of a text, and whether it puts spaces between words."""

import re
from functools import cache, lru_cache
from typing import Any

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER, KANA, KANA_OR_HANGUL, LETTER
from core.platform.language.stopwords import ENGLISH

_HAN_BLOCKS = ((0x3400, 0x4DBF), (0x4E00, 0x9FFF))
_HAN_OR_KANA = pattern(f"[{KANA}{HAN}]")
_LATIN = re.compile(r"[A-Za-z]")
_ZH_SMALL = frozenset("的了吗呢吧么麼谁誰哪几幾怎是有和与與")
LANGUAGES = frozenset([
    "ar", "bg", "bn", "ca", "cs", "da", "de", "el", "en", "es", "et", "fa", "fi", "fr",
    "he", "hi", "hr", "hu", "id", "it", "ja", "ko", "lt", "lv", "ms", "nl", "no", "pl",
    "pt", "ro", "ru", "sk", "sl", "sr", "sv", "ta", "th", "tr", "uk", "vi", "zh",
])  # fmt: skip
"""Languages that are distinguished and named in the interface; dialects and small languages would take short
texts from these."""
UNKNOWN = "und"
"""ISO 639-2 code of an unknown language."""
_SURE = 0.9
"""Below this probability, a short text in plain Latin letters is taken for English."""
_LIKELY = 0.7
"""The same threshold for longer texts."""
_FEW_WORDS = 4
_MANY_WORDS = 20
_ENGLISH_SHARE = 0.15
"""Least share of English function words in a longer text: tables and lists have few, other languages share fewer."""
_SHORT = 80
"""Letters of a text; shorter ones give the identifier too little evidence."""


def detect_language(text: str) -> str:
    """`zh-hans`, `zh-hant`, `en`, or another ISO 639-1 code; `en` without any evidence.

    A Han character counts as two letters, so "请问 BERT 是什么" is a Chinese question about an English name.
    A text whose function words are all Chinese is Chinese, however long the name in it.
    """
    sample = text[:4000]
    han = len(HAN_CHARACTER.findall(sample))
    letters = len(LETTER.findall(sample))
    chinese = 2 * han >= letters - han or _only_chinese_small_words(sample)
    if han and chinese and len(KANA_OR_HANGUL.findall(sample)) * 8 < han:
        return chinese_script(sample)
    if sample.isascii() and _mostly_english(sample):
        return "en"
    return _identified(sample, letters) if letters else "en"


def document_language(text: str) -> str:
    """The same as detect_language(), but UNKNOWN without enough evidence, because no answer needs a language."""
    sample = text[:4000]
    if HAN_CHARACTER.search(sample) or KANA_OR_HANGUL.search(sample):
        return detect_language(sample)
    letters = len(LETTER.findall(sample))
    language, probability = _identifier().classify(sample) if letters else (UNKNOWN, 0.0)
    if probability >= (_SURE if letters < _SHORT else _LIKELY):
        return str(language)
    words = re.findall(r"[a-z']+", sample.lower())
    if len(words) >= _FEW_WORDS and sample.isascii() and _mostly_english(sample):
        return "en"
    small = sum(word in ENGLISH for word in words)
    return "en" if len(words) >= _MANY_WORDS and small >= _ENGLISH_SHARE * len(words) else UNKNOWN


def _only_chinese_small_words(text: str) -> bool:
    small = any(word in ENGLISH for word in re.findall(r"[a-z']+", text.lower()))
    return not small and not _ZH_SMALL.isdisjoint(text)


def _mostly_english(text: str) -> bool:
    """A third of the words of an English question are function words, which can be checked without loading anything."""
    words = re.findall(r"[a-z']+", text.lower())
    return len(words) < 3 or 4 * sum(word in ENGLISH for word in words) >= len(words)


def _identified(text: str, letters: int) -> str:
    language, probability = _identifier().classify(text)
    if language == "zh":
        return chinese_script(text)
    return str(language) if letters >= _SHORT or probability >= _SURE or not text.isascii() else "en"


def chinese_script(text: str) -> str:
    """`zh-hant` if more characters are traditional-only than simplified-only."""
    return "zh-hant" if script_evidence(text) > 0 else "zh-hans"


def script_evidence(text: str) -> int:
    """Traditional-only characters minus simplified-only characters; 0 if the script is unknown."""
    of_traditional, of_simplified = _script_characters()
    return sum(character in of_traditional for character in text) - sum(
        character in of_simplified for character in text
    )


@cache
def _script_characters() -> tuple[frozenset[str], frozenset[str]]:
    """(traditional only, simplified only). The converters, 30 MB, are let go of afterwards."""
    from opencc import OpenCC

    characters = [chr(code) for first, last in _HAN_BLOCKS for code in range(first, last + 1)]
    converted = [OpenCC(way).convert("\n".join(characters)).split("\n") for way in ("t2s", "s2t")]
    only = [
        frozenset(one for one, other in zip(characters, of_way, strict=True) if one != other) for of_way in converted
    ]
    return only[0], only[1]


@cache
def _identifier() -> Any:
    """Loaded with the first text that needs it: 0.7 s of processor, 50 MB."""
    from py3langid.langid import MODEL_FILE, LanguageIdentifier

    made = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=True)  # type: ignore[no-untyped-call]
    made.set_languages(sorted(LANGUAGES))
    made._full_model = (made.nb_ptc, made.nb_pc, made.nb_classes)  # 28 MB of languages that are not told apart
    return made


def is_unspaced(text: str) -> bool:
    """Whether a text is written without spaces between words, as Chinese and Japanese are."""
    return not text.isascii() and len(_HAN_OR_KANA.findall(text)) * 4 > len(text)


def same_script(one: str, other: str) -> bool:
    """Whether words of the one can occur in the other: both have Han characters, or both have Latin letters alone."""
    return is_han(one) == is_han(other)


@lru_cache(500)
def is_han(text: str) -> bool:
    """Half or more of it is Chinese, of which a character counts as two and a half letters.

    Kept, because a question is compared with each passage.
    """
    sample = text[:2000]
    if HAN_CHARACTER.search(sample) is None:  # a third of the time that counting takes
        return _LATIN.search(sample) is None
    return 5 * len(HAN_CHARACTER.findall(sample)) >= 2 * len(_LATIN.findall(sample))
