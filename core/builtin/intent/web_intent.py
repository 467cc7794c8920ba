"""Whether a message asks for the web, and what is to be looked for there; whether a question is about recent things."""

from core.builtin.intent.questions import any_of
from core.language.terms import normal_form

_EN_WEB = r"(?:(?:on|in|through|from)\s+)?(?:the\s+)?(?:web|internet)"
_EN_ONLINE = r"(?:online|on\s+the\s+(?:web|internet|net))"
_EN_GOES_ON = r"(?=\s*(?:$|[,:;.?!-]|(?:for|about|to|and|please|wh\w+|how)\b))"
"""Not the web page, the internet protocol."""
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
_ASKS_TO_LOOK = any_of(
    r"^(?:(?:please|can\s+you|could\s+you|would\s+you)[\s,]+)*(?:search|look|find|check|get|see|google)\b"
)
_LAST = any_of(rf"[\s,;]+{_EN_ONLINE}(?:\s+please)?[\s.?!]*$")
"""Behind an order to look: find ... on the web."""
_EMPTY = any_of(r"^(?:it|this|that|for it|please)?[\s.?!。？！吧呢]*$")
_RECENT = any_of(
    r"\b(?:latest|newest|today'?s?|yesterday'?s?|this (?:week|month|year)|right now|breaking|news|stock price)\b",
    r"最新|今[天日]|昨[天日]|本[周月年]|新闻|股价|现在的",
)


def asked_of_web(message: str) -> str | None:
    """What the web is to be searched for; empty when the message orders only that; None when it does not."""
    plain = " ".join(message.split())
    if order := _FIRST.match(plain):
        asked = plain[order.end() :].strip()
    elif _ASKS_TO_LOOK.match(plain) and (place := _LAST.search(plain)):
        asked = plain[: place.start()].strip()
    else:
        return None
    return "" if _EMPTY.match(asked) else asked


def is_recent(question: str) -> bool:
    """What documents of any age hardly tell."""
    return _RECENT.search(normal_form(question)) is not None
