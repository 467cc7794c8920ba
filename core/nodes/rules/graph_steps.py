"""How the built-in planner drives the graph's tools: an overview, a listing, or a search and what lies around."""

import json
import re
from collections.abc import Sequence

from core.domain.knowledge import ENTITY_TYPES
from core.domain.tool_use import ToolUse
from core.language.terms import normal_form
from core.nodes.rules.followups import Names, topic_of
from core.nodes.rules.questions import any_of, essence
from core.tools.graph_toolbox import GraphTool

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
    "TECHNOLOGY": any_of(r"\btechnolog(?:y|ies)\b", r"技术"),
    "CONCEPT": any_of(r"\bconcepts?\b", r"概念"),
    "PERSON": any_of(r"\b(?:persons?|people)\b", r"人物|人员|人名"),
    "ORGANIZATION": any_of(r"\borgani[sz]ations?\b|\bcompanies\b|\binstitutions?\b", r"机构|组织|公司|单位"),
    "LOCATION": any_of(r"\blocations?\b|\bplaces?\b", r"地点|地名|位置"),
}
_ABOUT_ONE = any_of(
    r"\b(?:related|connected|linked|neighbou?rs?|around|between|associated)\b", r"相关|有关|关系|邻居|联系|之间|周围"
)
_HOPS = any_of(r"\b(?P<digit>[123])[- ]?hops?\b", r"(?P<han>[一二两三1-3])[跳度]")
_TWO = any_of(r"\b(?:two|indirect(?:ly)?)\b(?=.*\b(?:hops?|related|connected|linked))", r"间接")
_HAN = {"一": 1, "二": 2, "两": 2, "三": 3}


def next_use(question: str, names: Sequence[str], types: Sequence[str], used: Sequence[ToolUse]) -> tuple[str, str]:
    """(tool, arguments as JSON) of the next call; two empty texts when it is time to answer."""
    if used:
        return _after(question, names, used)
    plain = normal_form(question)
    if _OVERVIEW.search(plain):
        return GraphTool.DESCRIBE_GRAPH, "{}"
    if wanted := _listed_type(plain, names, types):
        return _call(GraphTool.GET_ENTITIES_BY_TYPE, entity_type=wanted)
    return _call(GraphTool.SEARCH_ENTITIES, query=topic(question, names))


def topic(question: str, names: Sequence[str]) -> str:
    return topic_of(question, Names(names)) or essence(question) or question


def found_name(result: str) -> str:
    """The first entity in a result of search_entities; empty when there is none."""
    match = re.search(r'^\[\w+\] "(.+)" \(confidence=', result, re.MULTILINE)
    return match[1] if match else ""


def _after(question: str, names: Sequence[str], used: Sequence[ToolUse]) -> tuple[str, str]:
    last = used[-1]
    if last.tool != GraphTool.SEARCH_ENTITIES:
        return "", ""
    if name := found_name(last.result):
        return _call(GraphTool.GET_NEIGHBORS, entity_name=name, hops=_hops(question, names))
    asked = {json.loads(use.arguments).get("query") for use in used}
    for other in names:
        if other not in asked:
            return _call(GraphTool.SEARCH_ENTITIES, query=other)
    return "", ""


def _hops(question: str, names: Sequence[str]) -> int:
    plain = normal_form(question)
    if match := _HOPS.search(plain):
        said = match["digit"] or match["han"]
        return _HAN.get(said) or int(said)
    return 2 if _TWO.search(plain) or len(names) > 1 else 1


def _listed_type(plain: str, names: Sequence[str], types: Sequence[str]) -> str:
    if not _LISTING.search(plain) or (names and _ABOUT_ONE.search(plain)):
        return ""
    own = (type for type in types if re.search(rf"\b{re.escape(type)}s?\b", plain, re.IGNORECASE))
    usual = (type for type in ENTITY_TYPES if _TYPES[type].search(plain))
    return next(own, "") or next(usual, "")


def _call(tool: GraphTool, **arguments: object) -> tuple[str, str]:
    return tool, json.dumps(arguments, ensure_ascii=False)
