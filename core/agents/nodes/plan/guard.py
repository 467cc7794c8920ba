"""Accepts or refuses a question: empty, hidden characters, instructions to the model."""

import re
from dataclasses import replace
from enum import StrEnum

from core.agents.nodes.runtime import noted
from core.agents.state import NodeRuntime, State, Update
from core.platform.language.detect import detect_language
from core.platform.language.patterns import any_of
from core.platform.language.terms import normal_form
from core.platform.texts import text
from core.runs.model import AnswerOutcome


class GuardOutcome(StrEnum):
    PASSED = "passed"
    BLOCKED = "blocked"


_HIDDEN = re.compile("[\U000e0000-\U000e007f\u202a-\u202e\u2066-\u2069]")
"""Tag characters and direction overrides, which people and models read differently."""
_START = r"(?:^|[.!?;:,\n]\s*)"
_ORDERED = (
    r"(?:(?:please|now|then|and|so|ok|instead|first|just|but|you\s+(?:must|should|will|can|have\s+to|need\s+to)"
    r"|i\s+(?:want|need|order)\s+you\s+to)\s+)*"
)
_ZH_START = r"(?:^|[。！？；，,.:：\n]\s*)(?:请|现在|然后|你(?:必须|要|应该|需要)|从现在起|接下来)*"
_ORDERS = any_of(
    rf"{_START}{_ORDERED}(?:ignore|disregard|forget|override|bypass|discard)\s+(?:\w+\s+){{0,4}}?"
    r"(?:previous|prior|above|earlier|preceding|your|all|any|these|system|safety)\s+(?:\w+\s+){0,3}?"
    r"(?:instructions?|prompts?|rules?|guidelines?|directions?|constraints?|restrictions?|filters?)\b",
    rf"{_START}{_ORDERED}(?:reveal|show|print|repeat|output|display|leak|tell\s+me|give\s+me|what\s+(?:is|are|was|were))\s+"
    r"(?:\w+\s+){0,3}?your\s+(?:\w+\s+){0,2}?(?:prompts?|instructions?)\b",
    rf"{_START}{_ORDERED}(?:you\s+are\s+now|from\s+now\s+on,?\s+you|act\s+as|pretend|roleplay\s+as)\b.{{0,60}}"
    r"(?:\bDAN\b|jailbr\w+|unrestricted|without\s+(?:any\s+)?(?:rules|restrictions|limits|filters)"
    r"|no\s+(?:rules|restrictions|limits|filters)|developer\s+mode|god\s+mode)",
    r"<\s*\|\s*(?:im_start|im_end|system|endoftext)|\[/?INST\]|^\s*#{2,}\s*(?:system|instruction)s?\s*:?\s*$|<</?SYS>>",
    rf"{_ZH_START}(?:忽略|无视|忘记|忘掉|不要理会|跳过|绕过|覆盖)掉?"
    r"(?:你|您|之前|以上|上面|前面|先前|所有|一切|全部|任何|系统|此前|的|这些)*(?:指令|提示词?|规则|要求|设定|限制|约束|命令)",
    rf"{_ZH_START}(?:输出|显示|打印|告诉我|说出|泄露|重复|复述|给我看)(?:一下)?[你您]的?(?:完整|全部|原始|初始|隐藏)*的?"
    r"(?:系统)?(?:提示词|提示语|提示|指令|设定)",
    rf"{_ZH_START}(?:[你您]现在是|[你您]是|假装[你您]?是|扮演).{{0,30}}"
    r"(?:没有(?:任何)?(?:限制|规则|约束)|不受(?:任何)?(?:限制|约束)|越狱|DAN|开发者模式)",
)


def fault_of(question: str) -> str:
    """empty, hidden or orders; "" if the question is accepted."""
    if not any(character.isalnum() for character in question):
        return "empty"
    if _HIDDEN.search(question):
        return "hidden"
    return "orders" if _ORDERS.search(normal_form(question)) else ""


def guard(state: State, runtime: NodeRuntime) -> Update:
    del runtime
    fault = fault_of(state.question)
    if not fault:
        return {"note": noted(GuardOutcome.PASSED, "run.reason.guard_passed")}
    language = detect_language(state.question)
    draft = replace(state.draft, answer=text(f"answer.blocked.{fault}", language), outcome=AnswerOutcome.BLOCKED)
    note = noted(GuardOutcome.BLOCKED, f"run.reason.blocked_{fault}")
    return {"language": language, "draft": draft, "shown": draft.published(), "note": note}
