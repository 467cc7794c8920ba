"""Kind and essence of a question, without polite phrases. English and Chinese."""

import re
from functools import lru_cache

from core.platform.language.numbers import HAN_NUMERALS
from core.platform.language.patterns import any_of, pattern
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.model import QuestionKind

_WORK = (
    r"(?:papers?|documents?|docs?|reports?|articles?|books?|files?|texts?|manual|handbook|notes?|study|contract|thesis"
    r"|slides?|pdfs?|standard|guidelines?|minutes|publication)"
)
_THIS_WORK = rf"(?:this|the|that|these|those|my|our|uploaded|attached|given)\s+(?:\w+\s+)?{_WORK}"
_ZH_WORK = r"(?:论文|文章|文档|文件|报告|标准|手册|合同|书|材料|资料|规范|纪要|说明书)"
_ZH_THIS_WORK = rf"本文|文中|(?:本|该|此|这)(?:个|份|篇|本|些)?{_ZH_WORK}|{_ZH_WORK}(?:中|里|内)"
VAGUE = any_of(rf"\b{_THIS_WORK}\b", _ZH_THIS_WORK)
"""References to a document without its name (simplified script)."""
WORK = any_of(_WORK, _ZH_WORK)

_CUES: dict[QuestionKind, re.Pattern[str]] = {
    QuestionKind.AUTHORS: any_of(
        rf"\bwho\s+(?:wrote|published|issued)\s+(?:it|{_THIS_WORK})\b",
        rf"(?<!to the )(?<!by the )\bauthors?\b"
        rf"(?:\s+of\s+(?:it|[“\"«].{{1,80}}[”\"»]|(?:the\s+|this\s+)?(?:[\w\-]+\s+){{0,4}}{_WORK}))?\s*\??$",
        rf"^(?:{_ZH_THIS_WORK})?的?作者(?:是|有|为)|谁(?:写|编写|撰写)了?(?:{_ZH_THIS_WORK})|{_ZH_WORK}是谁写",
    ),
    QuestionKind.OVERVIEW: any_of(
        r"\b(?:main|key|primary|central|major|core|overall|principal)\s+(?:\w+\s+)?(?:contribution|idea|finding|point"
        r"|topic"
        r"|conclusion|result|argument|message|claim|takeaway|theme|content|purpose|goal|aim)s?\b",
        r"\b(?:summari[sz]e|summary|overview|gist|tl;?dr|in a nutshell|takeaways?)\b",
        rf"\bwhat(?:'s|\s+is|\s+are)\s+(?:{_THIS_WORK}|it|they|everything)\s+(?:all\s+)?about\b",
        rf"\bwhat\s+(?:do|does|did)\s+(?:{_THIS_WORK}|it|they)\s+(?:\w+\s*){{1,2}}\??$",
        rf"\b(?:contributions?|purpose|scope|aim|goal|abstract|conclusions?)\s+of\s+{_THIS_WORK}",
        r"(?:主要|核心|重要|关键)的?(?:内容|贡献|观点|结论|思想|发现|目的|信息|论点|创新)",
        r"^(?!关于|对于?|有关).*(?:讲|说|介绍|描述|写|论述|规定)[的了]?是?(?:一些|些)?(?:什么|啥|哪些内容)(?:内容)?[？?。]?$",
        r"概述|概括|总结|摘要|大意|概要|梗概|主旨|主题是|关于什么|^(?:这些?|所有)?(?:文档|资料|文件)[里中]?都?有(?:什么|哪些内容)",
    ),
    QuestionKind.COMPARISON: any_of(
        r"\b(?:differences?|differ|compared?|comparison|versus|vs|in common|similar(?:ity|ities)?|both)\b",
        r"\b(?:who|which)\b.*\bor\b",
        r"\b\w+er\b[^,]*,.*\bor\b",
        r"\bwhich\b.*\bof (?:these|the two)\b",
        r"区别|差异|不同|相比|比较|对比|异同|还是|哪个更|共同",
    ),
    QuestionKind.RELATION: any_of(
        r"\bneighbou?rs?\b|\brelat(?:ed|ion|ions|ionships?|es?)\b|\bconnect(?:ed|ions?|s)?\b|\bassociated with\b",
        r"\blink(?:ed|s)? (?:to|between)\b|\bpath (?:from|between)\b",
        r"邻居|相邻|关系|关联|联系|相关的?(?:实体|概念|人|技术)",
        r"[与和跟].{1,30}[相有]关的(?:都?有|是)?(?:哪些|什么|谁)|周围都?有(?:哪些|什么|谁)",
    ),
    QuestionKind.WHY: any_of(
        r"\bwhy\b",
        r"\bwhat\s+(?:causes?|caused|reason)",
        r"(?<![封成称作名译分改变定任评誉选认])为什么|为何|原因|何以",
    ),
    QuestionKind.HOW_MANY: any_of(
        r"\bhow\s+(?:many|much|long|often|far|large|big|deep|high|tall|old|fast|frequently|wide|heavy)\b",
        r"\b(?:what|which)\b[^?]*\b(?:number|amount|percentage|proportion|rate|price|cost|size|length|depth|height"
        r"|weight"
        r"|value|score|accuracy|speedups?|threshold|total|population|temperature|frequency|duration|interval)\b",
        r"多少|(?<!哪)几(?!乎)|多久|多长|多大|多高|多深|多快|比例|比率|总额|金额|数量|面积|频率|阈值|百分",
    ),
    QuestionKind.WHEN: any_of(
        r"^\W*(?:(?:and|but|so|or|then)\s+)?when\b|\bwhen\W*$",
        r"\b(?:since|until|till|from|by|know|(?:tell|told)\s+(?:me|us))\s+when\b",
        r"\bwhen(?:'s|\s+(?:am|is|are|was|were|do|does|did|can|could|will|would|should|shall|may|must|has|have|had))\b",
        r"\b(?:what|which)\s+(?:(?:is|was)\s+the\s+)?(?:year|date|day|month|time|century|decade|birthday)\b",
        r"什么(?:时候|时期|时间)|何时|哪个?(?:时期|时间|时代)|哪一?年|哪一?天|哪一?个?月|几年|几月|日期|年份|时间是",
    ),
    QuestionKind.WHERE: any_of(
        r"\bwhere\b",
        r"\b(?:what|which)\s+(?:(?:is|was)\s+the\s+)?(?:city|country|place|location|state|town|region|province)\b",
        r"哪里|哪儿|何处|什么地[方带区]|位于|哪个(?:城市|国家|地区|省)|地点",
    ),
    QuestionKind.WHO: any_of(
        r"\bwho(?:m|se)?\b",
        r"\b(?:what|which)\s+(?:person|author|people|scientist|company|organi[sz]ation|team|university)\b",
        r"谁|哪位|何人|什么人|哪[家个]?(?:公司|单位|机构|组织|学校|部门)|负责人|作者",
    ),
    QuestionKind.LIST: any_of(
        r"^\s*list\b",
        r"\b(?:what|which)\s+(?:are|were)\s+(?:the|all|some)\b",
        r"\b(?:what|which)\s+(?:kinds?|types?)\b",
        r"\b(?:what|which)\s+\w+s\s+(?:are|were|do|did|can|have)\b",
        r"\bname\s+(?:the|all|some|two|three)\b|\benumerate\b|\bexamples?\s+of\b",
        r"哪些|列出|列举|有哪|哪几|分为|种类|包括什么",
    ),
    QuestionKind.DEFINITION: any_of(
        r"^\s*what(?:'s|\s+is|\s+are)\s+(?:an?\s+|the\s+)?(?:[\w\-./+]+\s*){1,4}\??\s*$",
        r"\bdefin(?:e|ed|ition)\b|\bmeaning\s+of\b|\bwhat\s+(?:do|does)\b.*\b(?:mean|stand for)\b",
        r"是什么[？?。]?$|什么是|何[为谓]|指什么|是指|定义|含义|什么意思|是啥",
    ),
    QuestionKind.HOW: any_of(r"\bhow\b", r"怎么|怎样|如何|步骤|流程"),
}
"""Most specific cue first."""

_FRAME = pattern(
    r"^(?:\s*(?:(?:hi|hello|hey|ok|okay|so|well|please|pls|thanks)\b[\s,.!]*"
    r"|(?:can|could|would|will)\s+(?:you|u)\s+(?:please\s+|kindly\s+)?(?=tell|explain|show|give|describe|help|find"
    r"|let|look|say)"
    r"|(?:tell|show|give)\s+me\s+(?:about\s+)?|let\s+me\s+know\s+|help\s+me\s+(?:to\s+)?(?:find\s+|understand\s+)?"
    r"|(?:do|did)\s+you\s+(?:happen\s+to\s+)?know\s+(?:about\s+)?"
    r"|i(?:'d|\s+would)\s+(?:like|love)\s+to\s+(?:know|understand|learn|see)\s+(?:about\s+)?"
    r"|i\s+(?:want|need|wish)\s+to\s+(?:know|understand|learn)\s+(?:about\s+)?"
    r"|i(?:'m|\s+am)\s+(?:curious|wondering)\s+(?:about\s+|if\s+)?"
    r"|(?:[你您]好|[请請](?:[问問]|(?![假客教求示愿願款]))|麻[烦煩]你?|谢谢|謝謝)[,，。!！\s]*"
    r"|[你您]?(?:能不能|能否|可不可以|可以|能)[请請]?(?:告[诉訴]我|[帮幫]我|解[释釋]|[说說]{1,2}"
    r"|介[绍紹])(?:一下)?[,，]?"
    r"|(?:告[诉訴]我|我想知道|我想了解|我?想[问問]一下|我[想要][问問]|[帮幫]我[查找看]?(?:一下)?|[你您]知道))\s*)+",
    re.IGNORECASE,
)
_GENERIC = any_of(
    r"\bhow\s+(?:often|long|many|much|frequently|far)\b",
    r"\b(?:neighbou?rs?|relat(?:ed|ion|ions|ionships?|es?)|connect(?:ed|ions?|s)?|linked)\b(?:'s)?",
    r"邻居|相邻|关系|关联|联系|^[与和跟](?=.{1,30}[相有]关)|[相有]关的?|周围(?=都?有(?:哪|什|谁))",
    r"\b(?:main|key|primary|central|major|core|overall|principal|contributions?|summari[sz]e|summary|overview|gist"
    r"|purpose|according|mentioned|described|discussed|proposed|stated|given|brief(?:ly)?|answer|takeaways?|points?"
    r"|ideas?|topics?|meaning|definition|defined?|means?|list|name|example|difference|between|compare[sd]?|comparison|explain|describe"
    r"|detail(?:s|ed)?|information|know|tell|find|say|says|said|number|amount|many|much|year|date|month)\b",
    r"^(?:关于|对于?|有关)|(?:讲|说|介绍|描述|写|论述)[的了]?是?(?:一些|些)?(?=什么|啥|哪些内容)",
    r"现在|目前|如今|需要|主要|核心|重要|关键|内容|贡献|概述|概括|总结|摘要|大意|概要|定义|含义|区别|列出|列举|根据|依据|介绍|说明|解释",
    r"(?:什么|哪些|哪种|何种|啥)(?:作用|用途|意思|类型|种类|特点|特征|职业|职位|条件|要求|规定)"
    r"|的(?:意思|职业|作用)(?=是|都|有)|一次(?=[?？]?$)",
    r"(?:^|\s)是|[是的吗呢](?:\s|[?？]|$)|是?多少|(?:什么|哪一?个)(?:地[方带区点]|时[候期间代]|年代|国家|城市|省份)|是?什么|什么是|是指|有?哪些|哪一?[里儿年天月个艘家座种位所条项类届支部本队场颗]?|几|谁|何时|数量|时间|日期",
)


_HOW_IT_WORKS = pattern(r"^how\s+(?:does|do|did)\s+(.+?)\s+works?(?=[?\s]*$)", re.IGNORECASE)
_LEFT_OVER = frozenset({"", "在", "了", "?", "？", "!", "！", "。", ",", "，"})
_ZH_EDGES = pattern(r"^[是有]|[是的吗呢有]$|'s?$")


_SEVERAL = pattern(
    r"\b(?:documents|papers|files|articles|reports|all|everything|each)\b|所有|全部|各个?(?:文档|文件|论文)|这些"
)


def asks_of_several(question: str) -> bool:
    """Whether a question about whole documents is about all of them rather than one."""
    return kind_of(question).is_about_whole_documents and bool(_SEVERAL.search(normal_form(question)))


_CONTENTS = any_of(
    r"\b(?:summari[sz]e|summary|overview|gist|tl;?dr|in a nutshell)\b|\babout\s*\??$",
    r"(?:讲|说|介绍|描述|写|论述)[的了]?是?(?:一些|些)?(?:什么|啥|哪些内容)(?:内容)?[？?。]?$",
    r"概述|概括|总结|摘要|大意|概要|梗概|主要内容|主题是|关于什么|有(?:什么|哪些)内容|^.{2,5}[里中]?都?有什么",
)


def asks_of_contents(question: str) -> bool:
    """Whether the question asks what documents are about, rather than for their findings or for a section."""
    asks = kind_of(question) is QuestionKind.OVERVIEW and _CONTENTS.search(normal_form(question))
    return bool(asks) and not asks_of_section(question) and not part_asked(question)


def works_named(question: str) -> list[str]:
    """Return the words for documents in the question: "the annual report"."""
    return [match.group() for match in VAGUE.finditer(normal_form(question))]


_MENTIONED = any_of(
    r"\b(?:which|what)\s+(?:[\w\-]+\s+){1,3}?(?:(?:are|were)\s+(?:mentioned|named|listed|cited)\b(?!\s+(?:after|as)\b)"
    r"|(?:appear|occur)\b|(?:does|do)\b.*\b(?:mention|name|list|cite)[?\s]*$)",
    r"(?:提到|提及|列出|出现)了?(?:哪些|哪几|什么)|哪些.{1,8}被?(?:提到|提及)",
)


def asks_what_is_mentioned(question: str) -> bool:
    """Whether the question asks for all things of a kind that a document names, which no single sentence answers."""
    return _MENTIONED.search(normal_form(question)) is not None


_SOME_WORK = r"(?:documents?|files?|papers?|reports?|articles?|texts?)"
_ZH_SOME_WORK = r"(?:文档|文件|论文|报告|文章|资料)"
_ASKS_FOR_MENTIONS = any_of(
    rf"^\s*(?:in\s+)?(?:which|what)(?:\s+of\s+(?:my|our|the|these)|\s+other)?\s+{_SOME_WORK}\s+"
    r"(?:(?:is|are)\s+(?P<passive>.+?)\s+mentioned(?:\s+in)?"
    r"|(?:do|does)?\s*(?:mentions?|contains?|refers?\s+to)\s+(?:the\s+|an?\s+)?(?P<active>.+?))\s*[?.]*\s*$",
    rf"^\s*(?:有)?(?:哪些|哪几[份个篇]|哪[份个篇])(?:的)?{_ZH_SOME_WORK}(?:中|里|里面)?(?:提到|提及|包含|出现)(?:了|过)?"
    r"(?P<zh_active>.+?)[？?。]*\s*$",
    rf"^\s*(?P<zh_passive>.+?)(?:出现)?在(?:哪些|哪几[份个篇]|哪[份个篇]){_ZH_SOME_WORK}(?:中|里)?"
    r"(?:被?(?:提到|提及)|出现)?(?:了|过)?[？?。]*\s*$",
)
_QUOTATION_MARKS = " “”\"'‘’「」《》"


def words_to_mention(question: str) -> str:
    """Return the words whose documents are asked for; empty for any other question."""
    found = _ASKS_FOR_MENTIONS.search(normal_form(question))
    return next((words.strip(_QUOTATION_MARKS) for words in found.groups() if words), "") if found else ""


def asks_why_so(question: str) -> bool:
    """Whether the reason of an answer is asked, by no more than "why" before its question: "why is that: How ...?"."""
    head, _, asked = normal_form(question).partition(":")
    return bool(asked.strip()) and kind_of(head) is QuestionKind.WHY and not content_terms(head)


_FURTHER = any_of(r"^(?:since\s+)?(?:when|where|who)$", r"^(?:什么时候|何时|在?哪里?|谁)呢?$")


def further_asked(question: str) -> str:
    """What is asked of an answer, before its question: "since when" of "since when: Who leads it?"; empty for none."""
    head, _, asked = normal_form(question).partition(":")
    return head.strip() if asked.strip() and _FURTHER.search(head.strip()) else ""


def work_asked(question: str) -> frozenset[str]:
    """Terms that tell which work is meant: "annual" of "the annual report"."""
    terms = (term for work in works_named(question) for term in content_terms(work))
    return frozenset(term for term in terms if term.isascii() and not WORK.fullmatch(term))


_PART = any_of(
    r"\b(?:chapter|section|part|appendix)\s+(?P<en>\d+(?:\.\d+)*|[A-Z]|[IVX]+)\b",
    rf"第\s*(?P<zh>[\d{HAN_NUMERALS}]+)\s*[章节部条]",
)


def part_asked(question: str) -> str:
    """The number of the chapter or section that is meant, as it is written; empty for none."""
    found = _PART.search(normal_form(question))
    return (found["en"] or found["zh"]) if found else ""


_SECTION = any_of(r"\b(?:section|chapter|paragraph)\b", rf"[这该那本]一?[章节]|第\s*[\d{HAN_NUMERALS}]+\s*[章节]")


def asks_of_section(question: str) -> bool:
    """Whether the question names a section of a document."""
    return _SECTION.search(normal_form(question)) is not None


def section_words(question: str) -> str:
    """Return the words for the section in such a question, or for the subject of a summary."""
    return _SECTION.sub(" ", essence(question))


@lru_cache(64)
def kind_of(question: str) -> QuestionKind:
    """The kind with the most specific cue found; FACT without one."""
    plain = normal_form(strip_frames(question))
    return next((kind for kind, cue in _CUES.items() if cue.search(plain)), QuestionKind.FACT)


def strip_frames(question: str) -> str:
    """The question without its polite opening; the question itself when nothing else is left."""
    return _FRAME.sub("", question, count=1).strip() or question.strip()


def essence(question: str) -> str:
    """Return the words to search for: without polite phrases, "this paper" and mere question words."""
    asked = _HOW_IT_WORKS.sub(r"\1", normal_form(strip_frames(question)))
    left = _GENERIC.sub(" ", VAGUE.sub(" ", asked))
    words = (_ZH_EDGES.sub("", word) for word in left.strip(" ?？!！。.").split())
    return " ".join(word for word in words if word not in _LEFT_OVER)
