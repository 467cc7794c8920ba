"""Ranges of characters by script, for use inside the brackets of a regular expression; and single characters."""

import re

from core.platform.language.patterns import pattern

HAN = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs: unified, extensions and compatibility forms. Chinese, and the kanji of Japanese."""
KANA = r"\u3040-\u30ff"
HANGUL = r"\uac00-\ud7af"
THAI_LAO_KHMER = r"\u0e00-\u0eff\u1780-\u17ff"
UNSPACED = THAI_LAO_KHMER + KANA + HAN + HANGUL
"""Scripts written without spaces, and Hangul, whose particles stick to the word."""
EAST_ASIAN = r"\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
"""Ideographs, kana and Hangul with their radicals, symbols and punctuation; not the full-width forms of Latin ones."""
HAN_CHARACTER = re.compile(f"[{HAN}]")
KANA_OR_HANGUL = pattern(f"[{KANA}{HANGUL}]")
LETTER = re.compile(r"[^\W\d_]")
"""A letter of any script."""
