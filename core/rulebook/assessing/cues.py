"""Cues of what a sentence says: a name, a reason, "is a", "we propose"."""

import re

from core.platform.language.patterns import any_of

NAMES_SOMEONE = any_of(
    r"(?-i:\b(?!The\b|This\b|These\b|In\b|It\b|A\b)[A-Z][\w'’\-]+(?:\s+(?:[A-Z]\.|de|van|von|of"
    r"|the))*\s+[A-Z][\w'’\-]+)",
    r"\b(?:by|Dr\.?|Prof\.?|Mr\.?|Mrs\.?|Ms\.?|president|director|engineer|officer|founder|chair\w*)\b",
    r"由.{2,16}(?:提出|创|建|写|编|担任|负责|领导|主持|管理|发明|开发|批准|核定)|[为是].{2,12}(?:教授|博士|先生"
    r"|女士|主任|院长|经理)|(?:者|长|员|人)[是为：:]",
)
GIVES_REASON = any_of(
    r"\b(?:because|since(?!\W*(?:\w+\s)?\d)|due to|owing to|as a result|so that|in order to|therefore|thus"
    r"|hence|reason|caused? by)\b",
    r"因为|由于|因此|所以|为了|导致|原因|以便|用来|从而",
)

_AIMS: tuple[tuple[float, re.Pattern[str]], ...] = (
    (
        1.0,
        any_of(
            r"\b(?:main|key|primary|principal|major|central)\s+(?:\w+\s+)?(?:contributions?|ideas?|findings?|results?"
            r"|aims?|goals?|purposes?)\b",
            r"\b(?:makes?|made|offers?|following|our)\s+(?:\w+\s+){0,2}contributions?\b|\bcontributions? (?:of this"
            r"|are|is)\b",
            r"主要(?:贡献|内容|目的|创新|结论|观点)|本(?:文|研究|论文)的?(?:贡献|创新|目的)|(?:贡献|创新点)(?:如下|是"
            r"|在于)",
        ),
    ),
    (
        0.8,
        any_of(
            r"\bwe\s+(?:\w+\s+)?(?:propose|present|introduce|describe|develop|investigate|study|address|design"
            r"|show that|demonstrate|conclude)\b",
            r"\b(?:this|the present)\s+(?:paper|note|report|work|article|handbook|manual|document|study|standard|book"
            r"|guide|agreement)\s+(?:\w+\s+)?"
            r"(?:presents?|describes?|introduces?|proposes?|covers?|explains?|specifies|sets out|provides?|is about"
            r"|makes|examines|addresses)\b",
            r"本(?:文|研究|论文|报告|标准|手册|规范|书|办法|条例|规定|规程|文件)(?:主要)?(?:提出|介绍|研究|规定|适用"
            r"|描述|分析|探讨|论述|给出|阐述|旨在|设计|针对)",
            r"我们(?:提出|设计|研究|介绍|证明|发现)|旨在|适用于",
        ),
    ),
    (
        0.4,
        any_of(
            r"\b(?:our|the proposed)\s+(?:method|approach|system|technique|model|results?|framework|work)\b"
            r"|\bin (?:conclusion|summary)\b|\bwe (?:have|find|found)\b",
            r"\b(?:purpose|duties|aim|goal|objective|mission)\b",
            r"综上|总之|结果表明|实验表明|目的是|为了|负责|宗旨",
        ),
    ),
)
_OPENING_SECTION = any_of(
    r"\b(?:abstract|introduction|summary|overview|purpose|scope|conclusions?|contributions?|general)\b",
    r"摘要|引言|前言|概述|总则|范围|目的|结论|简介|绪论|导言",
)
_SIGNPOST = any_of(r"\b(?:section|chapter|appendix|figure|table)\s+\d", r"第.{1,3}[章节]|如[图表]")
"""Sentences that guide the reader through the document say little about its subject."""


def aim_cue(sentence: str) -> float:
    """0..1: how much a sentence sounds like a statement of the document's aim."""
    weight = next((weight for weight, cue in _AIMS if cue.search(sentence)), 0.0)
    return 0.0 if _SIGNPOST.search(sentence) else weight


def is_opening_section(headings: tuple[str, ...]) -> bool:
    """Whether the section states what a document is about: abstract, introduction, scope, conclusion."""
    return any(_OPENING_SECTION.search(heading) for heading in headings)


_IS_A = (
    r"(?:is|are|was|were)\s+(?:an?|the|one|defined)\b|refers? to|means|denotes|stands for|(?:occurs|happens) when"
    r"|是指|是一[种个类项套组]|指的是|指|定义为|称为|即|是|："
)


def defines(sentence: str, subject: str) -> float:
    """1 if the sentence opens with the subject and says what it is, less if it says so in passing, else 0."""
    name = re.escape(subject.strip())
    if not name:
        return 0.0
    is_a = rf"{name}(?:\s*[（(][^)）]{{1,60}}[)）])?\s*,?\s*(?:{_IS_A})"
    if re.search(rf"^(?:the|an?|所谓|“)?\s*{is_a}", sentence, re.IGNORECASE):
        return 1.0
    if re.search(rf"(?:^|[,;(“\"]\s*|\b(?:an?|the)\s+){name},\s+(?:an?|the|one of)\s", sentence, re.IGNORECASE):
        return 0.8
    return 0.6 if re.search(is_a, sentence, re.IGNORECASE) else 0.0


_COPULA = r"(?:is|are|was|were|means?|refers? to|denotes?|stands? for)\b|[=—]|是|为|即|指|意为|又称|也称|亦称"
_CALLED = r"(?:known as|called|named|termed|称为|称作|叫做|叫作|称之为)\W*(?:(?:an?|the|its)\b)?\W*"
_ASIDE = r"(?:\s*[（(][^)）]{1,200}[)）])?[\"”’」]*\s*,?\s*"


def says_what_it_is(sentence: str, subject: str) -> bool:
    """Whether something is said of the subject itself: "X is ...", "X: ...", "... is called X".

    At the beginning it may have a middle name or an aside: "X at the Bay (founded in 1902) is ...".
    """
    words = [re.escape(word) for word in subject.removesuffix("s").split()]
    name, longer = (f"{between.join(words)}(?:e?s)?" for between in (r"\W+", r"\W+(?:\w+\W+){0,2}?"))
    said = (
        rf"{name}{_ASIDE}(?:{_COPULA})|^\W*{name}{_ASIDE}[:：]|{_CALLED}{name}"
        rf"|^\W*(?:(?:the|an?)\s+)?{longer}(?:\W+\w+){{0,6}}?{_ASIDE}\b(?:is|are|was|were)\b"
    )
    return re.search(said, sentence, re.IGNORECASE) is not None
