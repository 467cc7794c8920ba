"""A count of tokens for endpoints that report none: an estimate, never a download of a tokenizer."""

import re

from core.domain.runs import Usage

_WIDE = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


def estimate_tokens(text: str) -> int:
    """One token for a Han, kana or hangul character, one for each four other characters."""
    wide = len(_WIDE.findall(text))
    return wide + -(-(len(text) - wide) // 4)


def estimated_usage(prompt: str, response: str) -> Usage:
    return Usage(1, estimate_tokens(prompt), estimate_tokens(response), estimated=True)
