"""Numbers in digits, and in words as parts of regular expressions."""

import re

NUMBER_WORD = (
    r"(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty"
    r"|dozen|hundred|thousand|million|billion)"
)
"""The English ones that texts spell out most."""
HAN_TO_TEN = "一二三四五六七八九十"
"""How Chinese lists are numbered."""
HAN_DIGITS = "〇零一二三四五六七八九"
HAN_NUMERALS = HAN_DIGITS + "十百千万亿两"
NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
