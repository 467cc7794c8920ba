"""Statements of users about themselves, their wishes and their work, the only text stored without approval."""

import re
from dataclasses import dataclass

from core.memory.model import MemoryKind
from core.platform.language.sentences import sentences
from core.rulebook.understanding.questions import any_of

MAX_LENGTH = 300
"""Longest stored statement, in characters."""


@dataclass(frozen=True, slots=True)
class Statement:
    text: str
    kind: MemoryKind
    importance: int


_ASKED_TO_REMEMBER = re.compile(
    r"^(?:please\s+|pls\s+|and\s+|also\s+)*(?:remember|note|keep in mind|don'?t forget)"
    r"(?:(?P<joint>\s+that\s+|\s+this\s*[:：]\s*|\s*[:：]\s*)|\s+)(?P<what>.+)$"
    r"|^(?:[请請]|麻烦你?)?(?P<asked>记住|記住|记一下|記一下|记得|記得|别忘了|別忘了)[:：,，\s]*(?P<zh>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_PREFERENCE = any_of(
    r"^(?:\w+\s+)?i\s+(?:(?:really|always|usually|would|'d|much)\s+)*(?:prefer|like|love|dislike"
    r"|hate)\b(?!\s+to\s+(?:know|ask|see|learn|understand))",
    r"^(?:please\s+)?(?:always|never|from now on|in (?:the )?future)\b",
    r"^(?:please\s+)?(?:answer|reply|respond|write)\s+(?:to\s+me\s+)?(?:always\s+)?(?:in\s+(?:english|chinese"
    r"|simplified|traditional|short|brief|detail|bullet|one\b|two\b|plain)|briefly|concisely|shortly)",
    r"^(?:我|本人)(?:更|比较|比較|很|最|不|特别)?(?:喜欢|喜歡|偏好|倾向|傾向|讨厌|討厭|习惯|習慣)",
    r"^(?:以后|以後|今后|今後|从现在起|從現在起|请总是|请一直|请用|請用).{0,40}(?:回答|回复|回覆|说明|解释|用|别|不要)",
)
_FACT = any_of(
    r"^(?:\w+\s+)?my\s+(?:(?:\w+\s+){0,2})(?:name|job|role|team|project|company|employer|field|boss|title|university"
    r"|major|profession|department|birthday)\s+(?:is|are|'s)\b",
    r"^(?:you can\s+)?call me\s+\w+",
    r"^(?:\w+\s+)?(?:i\s+am|i'm)\s+(?:an?|the|from|based|called|responsible|in charge|\w+,?\s+(?:an?|the))\b",
    r"^(?:\w+\s+)?i\s+(?:work|live|study|teach|research|specialize|specialise|lead|manage|run|maintain)\b(?!\s+(?:out"
    r"|this))",
    r"^(?:\w+\s+)?i(?:'ve| have)\s+(?:been\s+\w+ing|\d+ years|an?\s+\w+\s+(?:allergy|degree|background))\b",
    r"^(?:我叫|我的名字[是叫]|我姓|叫我)(?!什么|什麼|啥)",
    r"^我是(?!不是|否|说|說|想|问|問|在问|来问|谁|誰|什么|什麼)",
    r"^我(?:们|們)?(?:在|于|於).{1,20}(?:工作|上班|学习|學習|读书|讀書|生活|住)",
    r"^我(?:从事|從事|负责|負責|研究|住在|来自|來自)",
)
_ASKS = any_of(r"[?？]|\b(?:looking for|wondering|curious|trying to|asking)\b", r"[吗嗎呢]$|什[么麼]$|想知道|想[问問]")
_CLAUSE = any_of(r"(?<=[,，;；])\s*(?=(?:and\s+)?(?:what|who|how|why|when|where|which|please|remember|请|請|那)\b)")


def statement_in(message: str) -> Statement | None:
    """The first sentence in which users say something about themselves or ask to remember it."""
    return next((found for piece in _pieces(message) if (found := _read(piece))), None)


def is_only_a_statement(message: str) -> bool:
    """Whether the message is a statement without a question."""
    pieces = _pieces(message)
    return bool(pieces) and _read(pieces[0]) is not None and not any(_ASKS.search(piece) for piece in pieces)


def asks_to_remember(message: str) -> bool:
    """Whether the message is certainly a request to remember something, without a question."""
    told = _ASKED_TO_REMEMBER.match(message.strip(" .。!！"))
    return told is not None and bool(told["joint"] or told["asked"]) and is_only_a_statement(message)


def _pieces(message: str) -> list[str]:
    return [piece.strip() for sentence in sentences(message) for piece in _CLAUSE.split(sentence) if piece.strip()]


def _read(piece: str) -> Statement | None:
    plain = piece.strip(" .。!！,，;；")[:MAX_LENGTH]
    told = _ASKED_TO_REMEMBER.match(plain)
    if told and not piece.rstrip().endswith(("?", "？", "吗", "嗎")):
        what = (told["what"] or told["zh"]).strip()
        kind = MemoryKind.PREFERENCE if _PREFERENCE.search(what) else MemoryKind.FACT
        return Statement(what, kind, 8)
    if _ASKS.search(piece):
        return None
    if _PREFERENCE.search(plain):
        return Statement(plain, MemoryKind.PREFERENCE, 7)
    return Statement(plain, MemoryKind.FACT, 7) if _FACT.search(plain) else None
