"""Statements of people about themselves, their preferences and their work, worded as facts: "Name: Alex".

Only what is certain is stored without approval; a plain statement is offered.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from core.memory.model import MemoryKind, MemoryRequest
from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import any_of, pattern
from core.platform.language.periods import without_periods
from core.platform.language.sentences import sentences
from core.platform.language.stopwords import ENGLISH
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.understanding.clauses import asks
from core.rulebook.understanding.corrections import corrected_itself, opening_of, with_value_of

MAX_LENGTH = 240
"""Longest stored statement, in characters."""


@dataclass(frozen=True, slots=True)
class Statement:
    NAMES: ClassVar[tuple[str, str]] = ("Name", "名字")
    """The labels of a person's name, English and Chinese."""
    text: str
    kind: MemoryKind
    importance: int
    certain: bool = True
    """Whether the statement is certainly meant to be remembered."""
    parts: tuple[str, ...] = ()
    """Its facts, where they are known."""

    @classmethod
    def of_request(cls, request: MemoryRequest) -> "Statement":
        """What is asked to be remembered."""
        words = _plain(request.what)
        is_wish = _PREFERENCE.search(words) is not None
        kind = MemoryKind.PREFERENCE if is_wish else MemoryKind.FACT
        return cls(words if is_wish else _as_fact(words), kind, 8, request.is_certain)

    @property
    def facts(self) -> tuple[str, ...]:
        """What is remembered by itself, so that it can be replaced and forgotten by itself."""
        if self.parts or self.kind is not MemoryKind.FACT:
            return self.parts or (self.text,)
        parts = [part.strip(_ENDS) for one in sentences(self.text) for part in _of_writer(one)]
        first, *others = list(filter(None, parts)) or [self.text]
        return (_as_fact(first), *(_capital(_as_fact(other)) for other in others))


def joined(facts: Sequence[str]) -> str:
    """The text of a statement with these facts."""
    return "。".join(facts) if is_unspaced("".join(facts)) else ". ".join(facts)


_ENDS = " .。!！,，;；"
_AND_I = pattern(r",?\s+and\s+(?=(?:i|i'm|i've|my|we|we're|we've|our)\b)", re.IGNORECASE)
_THEN_MY = pattern(
    r"[,;]\s+(?:(?:and|but|so)\s+)?(?=(?:my|our)\s+(?:\w+\s+){1,4}?(?:is|are)\b)"
    r"|[，；,;]\s*(?=我(?:们|們)?的[^，,；;。]{1,12}[是叫])",
    re.IGNORECASE,
)
_IF = pattern("如果|要是|[当當若]")
_PREFERENCE = any_of(
    r"^(?:\w+\s+)?i\s+(?:(?:really|always|usually|would|'d|much)\s+)*(?:prefer|like|love|dislike"
    r"|hate)\b(?!\s+to\s+(?:know|ask|see|learn|understand))",
    r"^(?:please\s+)?(?:always|never(?!\s+mind)|from now on|in (?:the )?future)\b",
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
_CALLED = pattern(
    r"^(?:(?:\w+\s+)?(?:i\s+am|i'm)\s+called|(?:you\s+can\s+)?call\s+me)\s+(?P<name>\S.*)$"
    r"|^(?:我叫|我的名字[是叫]|(?:请|請)?叫我)(?P<han>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_LABELLED = pattern(
    r"^(?P<whose>my|our)\s+(?P<label>\w[\w' -]{1,40}?)(?:\s+(?:is|are)(?:\s+called)?|'s(?!.*\s(?:is|are)\s))"
    r"\s+(?!not\b)(?P<value>\S.*)$"
    r"|^我(?P<our>们|們)?(?:的|(?=最))(?P<what>[^，,。是叫]{1,20}?)[是叫](?!不)(?P<such>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
_INSTEAD = pattern(r"\s*[,，]\s*(?:and\s+|而)?(?:not\b|不是)\s*[^,，]+$", re.IGNORECASE)
"""What a correction says of the value before: ", not Holm"."""
_NOT_BUT = pattern(
    r"^(?P<of>(?:my|our)\b[^,]*?\s(?:is|are))(?:n't|\s+not)(?P<called>\s+called)?\s+(?-i:[A-Z\d])[^,]*"
    r"(?:,\s*(?:but\s+)?(?:it(?:'s|\s+is)|they(?:'re|\s+are))|,?\s+but)(?:\s+called)?\s+(?P<value>\S.*)$"
    r"|^(?P<zh>我[^，,]{1,20}?)(?:不是?叫|不是)[^，,]+[，,]\s*(?:而|它)?(?P<is>是?叫|是)(?P<such>\S.*)$",
    re.IGNORECASE | re.DOTALL,
)
"""A correction that begins with the value before, a name or number: "My dog's name is not Pixel, it is Bixby"."""
_GREETING = pattern(
    r"^(?:hi|hello|hey)(?:\s+there)?[\s,!.]+(?=(?:my|our|i|i'm|we)\b)|^(?:你好|您好|哈[喽囉]|嗨)[\s,，!！。、]*(?=[我咱])",
    re.IGNORECASE,
)
_SUBJECT = pattern(r"(?:i|i['’]\w+|we|we['’]\w+)\s", re.IGNORECASE)
_OF_WRITER = pattern(r"(?:my|our|the|i|i'm|we)\b|我", re.IGNORECASE)
"""Follows what opens a correction: "Actually, my ...", "更正一下：我..."."""
_NOW = pattern(
    r"\s+(?:now|instead)$|(?<=\bis)\s+now\b|(?<=\bare)\s+now\b|^(?:现在|現在)|(?:现在|現在)(?=[是叫])", re.IGNORECASE
)
_GOES_ON = any_of(
    r"\b(?:and|but)\s+(?:i|my|we|our|he|his|she|her|it|its|they|their|is|are|was|has|have|had|does|can|will)\b",
    r"[，,；;]",
)
_OF_SELF = any_of(r"\b(?:my|i|our|we)\b", "[我咱]")
_ALL_OF_SELF = any_of(
    r"^(?:\w+[, ]+){0,4}?(?:what|everything|all)\b[\w' ]{0,30}?\byou\b[\w' ]{0,20}?\b(?:know|remember|told|learned)"
    r"\s+about\s+me$",
    r"^(?:(?:please|can you|could you)\s+)*(?:(?:list|show|tell|repeat)\s+(?:me\s+)?)?"
    r"(?:what|which (?:things|facts|memories)|everything|all|all the things)\s+"
    r"(?:(?:else|that|do|did|can|have|has)\s+)*"
    r"(?:you\s+(?:(?:still|have|already)\s+)*(?:remember(?:ed)?|recall|noted?|saved?|stored?|kept)"
    r"|i(?:'ve|\s+have)?\s+(?:(?:ever|already)\s+)*(?:(?:told|tell)\s+you|(?:asked|ask)\s+you\s+to\s+remember))"
    r"(?:\s+(?:so far|already|before|until now|yet|(?:about|of|from)\s+(?:me|myself)))*$",
    r"^(?:do|can|could)\s+you\s+(?:still\s+)?(?:remember|recall)\s+what\s+i(?:'ve|\s+have)?\s+(?:said|told\s+you)"
    r"(?:\s+(?:to you|so far|already|before|until now|about\s+(?:me|myself)))*$",
    r"^(?:(?:please|can you|could you)\s+)*(?:list|show)\s+(?:me\s+)?(?:(?:all|of|your|the|my)\s+)*memories$",
    r"(?:知道|记得|了解|记住)(?:了|过)?(?:关于)?我(?:的)?(?:什么|哪些|多少|些)",
    r"^(?:你)?(?:都|还|现在|目前)*(?:记得|记住|记下|保存)[了过着]?(?:关于)?(?:我的?)?些?(?:什么|哪些)(?:事情?|内容|东西|信息)?$",
    r"^我(?:都|还)?(?:告诉|[跟对和]你[说讲])[过了]?你?[过了]?些?(?:什么|哪些)(?:事情?|内容|东西|信息)?$",
    r"^你?(?:都|还|现在|目前)*(?:记不)?(?:记得|记住)我(?:都|还)?(?:告诉|(?:[跟对和]你)?[说讲])[过了]?你?[过了]?些?(?:什么|哪些)"
    r"(?:事情?|内容|东西|信息)?吗?$",
    r"^(?:请)?(?:列出|显示)(?:我(?:告诉|[跟对和]你[说讲])[过了]?你?[过了]?|你(?:记得|记住|记下|保存)[了过]?)的(?:所有|全部|一切)?"
    r"(?:事情?|内容|东西|信息|记忆)?$",
)
"""Any text in the form of normal_form()."""
_SELF = "my our I we 我 我的 我们 我们的 叫"
_NAME_ASKED = pattern(
    r"^what(?:['’]s| is| are) the names? of (?:my|our) (?P<of>.+)$"
    r"|^what(?:['’]s| is| are) (?:my|our) (?P<whose>.+?)(?:['’]s? names?| called)$"
    r"|^我(?:们|家)?的?(?P<zh>.*?)(?:叫|的名字[是叫]?)什么(?:名字?)?$|^(?:who am i|what am i called|我是谁)$",
    re.IGNORECASE,
)
"""Any text in the form of normal_form()."""
_ASKS = any_of(r"[?？]|\b(?:looking for|wondering|curious|trying to|asking)\b", r"[吗嗎呢]$|来着$|想知道|想[问問]")
_CLAUSE = any_of(r"(?<=[,，;；])\s*(?=(?:and\s+)?(?:what|who|how|why|when|where|which|please|remember|请|請|那)\b)")


@dataclass(frozen=True, slots=True)
class PersonalMessage:
    """What a message says or asks about its writer."""

    text: str

    @property
    def statement(self) -> Statement | None:
        """The first sentence in which the writer says something about themselves."""
        return next((found for piece in self.sentences if (found := _read(piece))), None)

    @property
    def sentences(self) -> list[str]:
        """Each sentence, and each part of one that begins to ask or to request."""
        return [
            " ".join(piece.split()) for each in sentences(self.text) for piece in _CLAUSE.split(each) if piece.strip()
        ]

    @property
    def told(self) -> dict[str, Statement]:
        """What each sentence that asks nothing would be remembered as; it need not be about the person."""
        asking_nothing = {one: _plain(one) for one in self.sentences if not _asks(one)}
        return {
            one: Statement(_as_fact(plain), MemoryKind.FACT, 6, certain=False)
            for one, plain in asking_nothing.items()
            if plain
        }

    @property
    def whole_statement(self) -> Statement:
        """The message as a statement, for one that is known to be nothing else."""
        if len(self.sentences) == 1 and (told := self.told):
            return next(iter(told.values()))
        words = " ".join(self.text.split()).strip(" .。!！,，")[:MAX_LENGTH]
        return Statement(words, MemoryKind.FACT, 6, certain=False)

    @property
    def is_only_a_statement(self) -> bool:
        """Whether the message is a statement without a question."""
        pieces = self.sentences
        return bool(pieces) and _read(pieces[0]) is not None and not self.asks

    @property
    def asks(self) -> bool:
        """Whether a sentence asks something."""
        return any(map(_asks, self.sentences))

    @property
    def clauses(self) -> int:
        """How many clauses the statement has, each of which may say something else."""
        return 1 + len(_GOES_ON.findall(self.text))

    @property
    def names_writer(self) -> bool:
        return _OF_SELF.search(self.text) is not None

    @property
    def asks_about_self(self) -> bool:
        """Whether a question names the person who asks."""
        return self.names_writer and _read(self.text) is None

    @property
    def corrects(self) -> bool:
        """Whether the message opens as a correction: "Actually, my ..."."""
        return bool(_opening(" ".join(self.text.split())))

    @property
    def opening(self) -> str:
        """What the message opens with as a correction: "no wait, "."""
        return opening_of(" ".join(self.text.split()))

    @property
    def asks_for_all_of_self(self) -> bool:
        """Whether the message asks for whatever is known of the person, or was told on some days."""
        asked = (self.text, without_periods(self.text))
        return any(_ALL_OF_SELF.search(normal_form(words).strip(" .。!！?？")) for words in asked)

    @property
    def asks_name_of(self) -> str:
        """X of "what is my X called", the label of a name for one's own; empty for any other message."""
        found = _NAME_ASKED.match(normal_form(self.text).strip(" .。!！?？"))
        own = Statement.NAMES[is_unspaced(self.text)]
        return next(filter(None, found.groups()), own) if found else ""

    @property
    def terms(self) -> set[str]:
        """Content terms other than the words for the person."""
        return set(content_terms(self.text)) - set(content_terms(_SELF))


def _asks(piece: str) -> bool:
    return _ASKS.search(piece) is not None or asks(piece)


def _read(piece: str) -> Statement | None:
    plain = _plain(piece)
    if _asks(piece):
        return None
    if _PREFERENCE.search(plain) and not _LABELLED.match(plain):
        return Statement(plain, MemoryKind.PREFERENCE, 7)
    return Statement(_as_fact(plain), MemoryKind.FACT, 7) if _FACT.search(plain) else None


def _plain(sentence: str) -> str:
    """The sentence without marks at its ends; of a correction, without its opening and the value before."""
    piece = sentence.strip(_ENDS)[:MAX_LENGTH]
    piece = piece[found.end() :] if (found := _GREETING.match(piece)) else piece
    plain = _capital(_INSTEAD.sub("", piece.removeprefix(opening))) if (opening := _opening(piece)) else piece
    if denied := _NOT_BUT.match(plain):
        english = f"{denied['of']}{denied['called'] or ''} {denied['value']}"
        return english if denied["of"] else f"{denied['zh']}{denied['is'][-1]}{denied['such']}"
    return plain


def _of_writer(sentence: str) -> list[str]:
    """ "I am Ada" and "I teach" of "I am Ada and I teach", but not "Ada" of "Ada and I teach"."""
    first, *others = _AND_I.split(sentence)
    is_told = _FACT.search(first) or _SUBJECT.match(first) or _LABELLED.match(first)
    parts = [first, *others] if is_told else [sentence]
    return [fact for part in parts for fact in _apart(part)]


def _apart(part: str) -> list[str]:
    """ "Tom has left" and "my deputy is Ada" of both in a row, but not "when I am in Graz"."""
    found = _THEN_MY.search(part)
    lead = part[: found.start()] if found else ""
    begins, *others = lead.split() or [""]
    is_english = len(others) > 1 and (begins.casefold() not in ENGLISH or _OF_WRITER.match(lead))
    is_clause = is_english or (is_unspaced(lead) and not _IF.match(lead))
    return [lead, part[found.end() :]] if found and is_clause else [part]


def _capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def _opening(piece: str) -> str:
    opening = opening_of(piece)
    return opening if _OF_WRITER.match(piece, len(opening)) else ""


def _as_fact(words: str) -> str:
    """ "My name is Alex" as "Name: Alex"; what has no label stays as it is, but for a value that it corrects itself."""
    before, after = corrected_itself(words)
    if before and (fact := with_value_of(_as_fact(before), after)):
        return fact
    corrected = _NOW.sub("", _INSTEAD.sub("", words))
    if (called := _CALLED.match(corrected)) and not _GOES_ON.search(corrected):
        english, chinese = Statement.NAMES
        return f"{english}: {called['name']}" if called["name"] else f"{chinese}：{called['han']}"
    if not (found := _LABELLED.match(corrected)) or _GOES_ON.search(corrected):
        return words
    if found["what"]:
        owner = f"我{found['our']}的" if found["our"] else ""
        return f"{owner}{found['what']}：{found['such']}"
    label = found["label"] if found["whose"].lower() == "my" else f"our {found['label']}"
    return f"{label[0].upper()}{label[1:]}: {found['value']}"
