"""Numbers in digits; numbers and English months in words, as parts of regular expressions."""

import re

from core.platform.language.patterns import pattern

NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|dozen|hundred|thousand|million|billion)"
)
"""English number words that texts spell out most."""
HAN_TO_TEN = "一二三四五六七八九十"
"""Numbers of Chinese lists."""
HAN_DIGITS = "〇零一二三四五六七八九"
HAN_NUMERALS = HAN_DIGITS + "十百千万亿两"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_WORDS = {word: str(at) for at, word in enumerate(
    ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
)}  # fmt: skip
_WORD = pattern(rf"\b(?:{'|'.join(_WORDS)})\b", re.IGNORECASE)
_HAN = pattern(f"[{HAN_NUMERALS}]+")
_POWERS = {"十": 10, "百": 100, "千": 1_000}
_MONTHS = "January|February|March|April|June|July|August|September|October|November|December"
MONTH_ABBREVIATIONS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
MONTH = rf"(?:{_MONTHS}|May|{MONTH_ABBREVIATIONS})"
"""A name or an abbreviation, without its full stop."""
MONTH_EXCEPT_MAY = rf"(?:{_MONTHS})"
"""As a separate word in any case, "may" is hardly ever the month."""


def written_numbers(text: str) -> frozenset[str]:
    """The numbers in digits of a text in normal form, without thousands separators."""
    return frozenset(number.rstrip(".") for number in NUMBER.findall(text.replace(",", "")))


def told_numbers(text: str) -> frozenset[str]:
    """Numbers in digits and in words: English ones to twelve, Chinese ones to 99,999,999."""
    words = (_WORDS[word.lower()] for word in _WORD.findall(text))
    return written_numbers(text).union(words, map(_han_value, _HAN.findall(text)))


def _han_value(numeral: str) -> str:
    """Value of a numeral by places ("一百二十") or by digits ("二〇二一")."""
    digits = {character: str(at - 1 if at else 0) for at, character in enumerate(HAN_DIGITS)} | {"两": "2"}
    if all(character in digits for character in numeral):
        return "".join(digits[character] for character in numeral)
    high, _, low = numeral.rpartition("万")
    total = 10_000 * int(_han_value(high)) if high else 0
    digit = ""
    for character in low.replace("亿", ""):
        if character in _POWERS:
            total += int(digit or 1) * _POWERS[character]
            digit = ""
        else:
            digit = digits.get(character, "")
    return str(total + int(digit or 0))
