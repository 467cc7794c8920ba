"""Questions for the documents that contain some words: "Which documents mention Porto?"."""

from core.platform.language.patterns import any_of
from core.platform.language.terms import normal_form

_WORKS = r"(?:documents?|files?|papers?|reports?|articles?|texts?)"
_ZH_WORKS = r"(?:文档|文件|论文|报告|文章|资料)"
_ASKED = any_of(
    rf"^\s*(?:in\s+)?(?:which|what)(?:\s+of\s+(?:my|our|the|these)|\s+other)?\s+{_WORKS}\s+"
    r"(?:(?:is|are)\s+(?P<passive>.+?)\s+mentioned(?:\s+in)?"
    r"|(?:do|does)?\s*(?:mentions?|contains?|refers?\s+to)\s+(?:the\s+|an?\s+)?(?P<active>.+?))\s*[?.]*\s*$",
    rf"^\s*(?:有)?(?:哪些|哪几[份个篇]|哪[份个篇])(?:的)?{_ZH_WORKS}(?:中|里|里面)?(?:提到|提及|包含|出现)(?:了|过)?"
    r"(?P<zh_active>.+?)[？?。]*\s*$",
    rf"^\s*(?P<zh_passive>.+?)(?:出现)?在(?:哪些|哪几[份个篇]|哪[份个篇]){_ZH_WORKS}(?:中|里)?"
    r"(?:被?(?:提到|提及)|出现)?(?:了|过)?[？?。]*\s*$",
)
_QUOTES = " “”\"'‘’「」《》"


def words_to_mention(question: str) -> str:
    """Return the words whose documents are asked for; empty for any other question."""
    found = _ASKED.search(normal_form(question))
    return next((words.strip(_QUOTES) for words in found.groups() if words), "") if found else ""
