"""Cues for routing: graph search, documents named in the question, requests for the web."""

import re
from collections.abc import Sequence

from core.platform.language.patterns import any_of
from core.platform.language.terms import normal_form, terms
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.questions import kind_of
from core.rulebook.understanding.topics import QUOTED

_HOPS = any_of(
    r"\bhave in common\b|\bbetween\b.*\band\b|之间",
    r"\bof the\b.*\b(?:of|who|which|that|whose)\b|\bof [A-Z].*'s\b|'s \w+(?: \w+)?'s\b|\bwhose\b"
    r"|'s (?:\w+[ -]?){1,3}\??$",
    r"\b(?:who|which|that|where)\b.*\b(?:who|which|that|whose|where)\b|\b(?:performer|director|composer|founder"
    r"|author|owner) of\b",
    r"的.{1,10}的.{1,10}(?:是|在|有)|其.{1,8}的",
)
_FILE = re.compile(r"[\w\-. ]+\.(?:pdf|docx?|pptx?|xlsx?|html?|md|txt|epub)\b", re.IGNORECASE)
_REFERS = any_of(
    r"\b(?:papers?|documents?|reports?|articles?|books?|files?|manual|handbook|notes?|contract|thesis|standard"
    r"|minutes)\b",
    r"论文|文章|文档|文件|报告|标准|手册|合同|纪要|规范|条例|办法",
)


LONGEST_NAME = 40
"""Longest document name that is looked for, in terms."""
SHORT_NAME = 11
"""A single word up to this many characters names a document only if quoted."""


def calls_for_graph(question: str, names: Sequence[str]) -> bool:
    """Whether the answer is a relation between named things or a neighbour of one."""
    if not names:
        return False
    plain = normal_form(question)
    kind = kind_of(question)
    if kind is QuestionKind.RELATION or _HOPS.search(plain):
        return True
    return len(names) > 1 and kind is QuestionKind.COMPARISON


def may_name_a_document(question: str) -> bool:
    """Whether the question may name a document, so that their names are worth reading."""
    plain = normal_form(question)
    return any(cue.search(plain) for cue in (_FILE, QUOTED, _REFERS))


def names_asked(question: str) -> frozenset[str]:
    """Every part of the question that may be a document's title or file name, as terms.

    A name of one short word counts only where it is quoted.
    """
    asked = terms(question)
    stretches = (
        " ".join(asked[start:stop])
        for start in range(len(asked))
        for stop in range(start + 1, min(start + LONGEST_NAME, len(asked)) + 1)
    )
    quoted = (" ".join(terms(words)) for words in QUOTED.findall(question))
    return frozenset([*(name for name in stretches if " " in name or len(name) > SHORT_NAME), *quoted]) - {""}


_EN_WEB = r"(?:(?:on|in|through|from)\s+)?(?:the\s+)?(?:web|internet)"
_EN_ONLINE = r"(?:online|on\s+the\s+(?:web|internet|net))"
_EN_GOES_ON = r"(?=\s*(?:$|[,:;.?!-]|(?:for|about|to|and|please|wh\w+|how)\b))"
"""The end of the words for the web; "the web page" and "the internet protocol" are something else."""
_EN_AIM = r"(?:\s*[,:;-]?\s*(?:and\s+(?:tell\s+me|find(?:\s+out)?)|for|about|to\s+(?:find(?:\s+out)?|see|check))\b)?"
_ZH_WEB = r"(?:网上|网络上?|互联网上?|網上|網路上?|網絡上?|網際網路上?)"
_ZH_SEARCH = r"(?>搜索|搜寻|搜尋|查询|查詢|查找|查找|[搜查找看]一?[下搜查找看]|[搜查找])(?:一下)?(?![到不的出过過])"
_FIRST = any_of(
    r"^(?:(?:please|can\s+you|could\s+you|would\s+you|now|then|ok|just)[\s,]+)*"
    rf"(?:(?:search|browse|check|use|try|ask|consult)\s+(?:(?:it|this|that)\s+)?{_EN_WEB}\b{_EN_GOES_ON}"
    rf"|(?:search|look|check|find)\s+(?:(?:it|this|that)\s+)?(?:up\s+)?{_EN_ONLINE}\b{_EN_GOES_ON}"
    rf"|google\s+(?:it|this|that|for)\b){_EN_AIM}[\s,:;-]*",
    r"^(?:请|請|麻烦|麻煩|帮我|幫我|你|能不能|可以|能|再)*"
    rf"(?:(?:上网|上網|联网|聯網|[在到去从從]?{_ZH_WEB})(?:帮我|幫我|去)?{_ZH_SEARCH}"
    rf"|{_ZH_SEARCH}{_ZH_WEB}(?!的)|(?:百度|谷歌)一下)[\s，,：:]*",
)
"""The order comes first: search the web for ..., 上网查一下 ..."""
_LAST = any_of(
    r"^(?P<asked>(?:(?:please|can\s+you|could\s+you|would\s+you)[\s,]+)*(?:search|look|find|check|get|see|google)\b.*?)"
    rf"[\s,;]+{_EN_ONLINE}(?:\s+please)?[\s.?!]*$"
)
"""The place comes last: find ... on the web."""
_NOTHING = ("", "it", "this", "that", "for it", "please")
_RECENT = any_of(
    r"\b(?:latest|newest|today'?s?|yesterday'?s?|this (?:week|month|year)|right now|breaking|news|stock price)\b",
    r"最新|今[天日]|昨[天日]|本[周月年]|新闻|股价|现在的",
)


def asked_of_web(message: str) -> str | None:
    """The query for the web; "" if the message only orders a web search; None if it does not ask for one."""
    plain = " ".join(message.split())
    if order := _FIRST.match(plain):
        asked = plain[order.end() :].strip()
    elif order := _LAST.match(plain):
        asked = order["asked"].strip()
    else:
        return None
    return "" if asked.strip(" .?!。？！吧呢").lower() in _NOTHING else asked


def is_recent(question: str) -> bool:
    """Whether the question is about current events, which documents seldom cover."""
    return _RECENT.search(normal_form(question)) is not None
