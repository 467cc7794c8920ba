"""Reduces a question to what is worth searching for."""

import re

from core.language.sentences import sentences

_INSTRUCTION = re.compile(
    r"^\W*(?:(?:please|kindly)\b.*\b(?:answer|respond|reply|write|format|round|list|output|return|express)"
    r"|(?:answer|anwser|respond|reply|round|output|format|express)\b"
    r"|(?:your|the) (?:answer|output|response) (?:should|must|is)\b"
    r"|(?:write|give|return|provide|state) (?:down )?(?:your |the )?(?:answer|result|output|response)"
    r"|(?:for example|e\.g\.)\s*[:,]?\s*[\[\"'(\d]"
    r"|请?用(?:中文|英文|简体|繁体|一句话|列表)|请?(?:回答|输出)|答案(?:请|应|需|以|保留))",
    re.IGNORECASE,
)
_GLUED = re.compile(r"([?？])(?=\w)")


def searchable(question: str) -> str:
    """The question without later sentences that only describe the form of the answer ("Round it.")."""
    first, *later = sentences(_GLUED.sub(r"\1 ", question)) or [question]
    return " ".join([first, *(sentence for sentence in later if not _INSTRUCTION.match(sentence))])
