"""Whether a text is written with spaces between its words."""

import re

from core.language.scripts import HAN, KANA

_HAN_OR_KANA = re.compile(f"[{KANA}{HAN}]")


def is_unspaced(text: str) -> bool:
    """Whether a text is written without spaces between words, as Chinese and Japanese are."""
    return len(_HAN_OR_KANA.findall(text)) * 4 > len(text)
