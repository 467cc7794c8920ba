"""Cues of questions about the graph (overview, list, single entity), and of search results."""

import json
import re
from collections.abc import Sequence

from core.graph.model import ENTITY_TYPES
from core.models.agent_ports import ToolUse
from core.platform.language.patterns import any_of
from core.platform.language.terms import normal_form
from core.rulebook.messages import Question

_OVERVIEW = any_of(
    r"\b(?:overview|summary|describe|statistics|stats|size|structure|what is in|what's in|how (?:big|large|dense))\b"
    r".*\b(?:graph|network)\b",
    r"\b(?:graph|network)\b.*\b(?:overview|summary|statistics|stats|about|look like|contain)\b",
    r"\bhow many (?:entities|nodes|edges|relations)\b",
    r"图谱?(?:里|中|的)?.{0,6}(?:概况|概览|概述|统计|规模|结构|有什么|有多少|多大|整体)|(?:概述|描述|总结|介绍)(?:一下)?.{0,6}图谱?"
    r"|多少(?:个)?(?:实体|节点|边)",
)
_LISTING = any_of(
    r"\b(?:list|show|name|give me|enumerate|which|what)\b.*",
    r"列出|列举|有哪些|哪些|所有|全部|显示",
)
_TYPES: dict[str, re.Pattern[str]] = {
    "TECHNOLOGY": any_of(r"\btechnolog(?:y|ies)\b|\bproducts?\b", r"技术|产品"),
    "CONCEPT": any_of(r"\bconcepts?\b", r"概念"),
    "PERSON": any_of(r"\b(?:persons?|people)\b", r"人物|人员|人名"),
    "ORGANIZATION": any_of(r"\borgani[sz]ations?\b|\bcompanies\b|\binstitutions?\b", r"机构|组织|公司|单位"),
    "LOCATION": any_of(r"\blocations?\b|\bplaces?\b", r"地点|地名|位置"),
    "EVENT": any_of(r"\bevents?\b", r"事件|活动"),
    "CREATIVE_WORK": any_of(r"\b(?:creative|titled) works?\b", r"作品"),
}
_ABOUT_ONE = any_of(
    r"\b(?:related|connected|linked|neighbou?rs?|around|between|associated)\b", r"相关|有关|关系|邻居|联系|之间|周围"
)
_MENTIONS = any_of(r"\bmention(?:s|ed)?\b|\btogether\b", r"提到|提及|一起|一同")
_HOPS = any_of(
    r"\b(?P<digit>[123])[- ]?hops?\b",
    r"(?P<han>[一二两三1-3])[跳度]",
    r"\b(?:two|indirect(?:ly)?)\b(?=.*\b(?:hops?|related|connected|linked))|间接",
)
_HAN = {"一": 1, "二": 2, "两": 2, "三": 3}


def asks_around(question: str) -> bool:
    """Whether it asks what a thing has to do with others, in whatever way."""
    plain = normal_form(question)
    return bool(_ABOUT_ONE.search(plain) or _MENTIONS.search(plain))


def asks_overview(question: str) -> bool:
    return _OVERVIEW.search(normal_form(question)) is not None


def listed_type(question: str, names: Sequence[str], types: Sequence[str]) -> str:
    """The entity type that the question wants listed; "" if none."""
    plain = normal_form(question)
    if not _LISTING.search(plain) or names_something(question, types) or (names and _ABOUT_ONE.search(plain)):
        return ""
    own = (type for type in (*types, *ENTITY_TYPES) if _named_type(type).search(plain))
    usual = (type for type in ENTITY_TYPES if _TYPES[type].search(plain))
    return next(own, "") or next(usual, "")


def names_something(question: str, types: Sequence[str] = ()) -> bool:
    """Whether a proper name, other than a type's, stands in the question, which then asks for more than a list."""
    named = (normal_form(name) for name in Question(question).names)
    return any(not any(_named_type(type).search(name) for type in (*types, *ENTITY_TYPES)) for name in named)


def found_name(used: ToolUse) -> str:
    """What a call of search_entities found: the name asked for, else the first entity listed; "" if there is none."""
    names: list[str] = re.findall(r'^ *\[\w+\] "(.+)" \(confidence=', used.result, re.MULTILINE)
    wanted = _asked_name(used).casefold()
    return next((name for name in names if name.casefold() == wanted), names[0] if names else "")


def _asked_name(used: ToolUse) -> str:
    return str(json.loads(used.arguments).get("query", ""))


def searched_names(used: Sequence[ToolUse]) -> set[str]:
    return {_asked_name(use) for use in used}


def asked_hops(question: str, names: Sequence[str]) -> int:
    plain = normal_form(question)
    if match := _HOPS.search(plain):
        said = match["digit"] or match["han"] or "2"
        return _HAN.get(said) or int(said)
    return 2 if len(names) > 1 else 1


def _named_type(type: str) -> re.Pattern[str]:
    """The type whose name occurs in the question, even without spaces around it: TECHNOLOGY类型."""
    return re.compile(rf"(?<![a-z0-9_]){re.escape(type)}(?:s|es)?(?![a-z0-9_])", re.IGNORECASE)
