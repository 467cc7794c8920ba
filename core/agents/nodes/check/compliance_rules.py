"""Finds violations by words: sensitive terms, unlawful advice, claims without support."""

import re
from collections.abc import Sequence
from functools import lru_cache

from core.agents.intents import Understanding
from core.platform.language.answer_marks import sentences_with_markers, without_markers
from core.platform.language.detect import same_script
from core.platform.language.patterns import any_of
from core.platform.language.sentences import sentences
from core.platform.language.terms import normal_form
from core.rulebook.verification import claims, unsupported_sentences
from core.search.model import Passage

MAX_UNSUPPORTED = 1 / 3
"""Largest share of claims without support; they are marked for the reader."""
_DEFAULT_TERMS = """
terrorist attack
suicide bombing
ethnic cleansing
genocide
mass shooting
beheading
torture method
overthrow the government
恐怖袭击
自杀式袭击
种族清洗
种族灭绝
颠覆政权
煽动暴乱
斩首视频
酷刑
"""
DEFAULT_TERMS = tuple(_DEFAULT_TERMS.strip().splitlines())
"""Politics and violence. A file in the data folder replaces them, one term per line."""
_STEPS = (
    r"(?:you (?:can|should|could|may|need to)|here is how|simply|first|steps? (?:to|for)|how to|to\b)"
    r"[^.\n]{0,60}"
)
_UNLAWFUL = any_of(
    rf"{_STEPS}\b(?:(?:build|make|assemble|synthesi[sz]e|cook)\b[^.\n]{{0,40}}\b(?:bombs?|explosives?|grenades?"
    r"|methamphetamine|nerve agents?|ghost guns?)"
    r"|(?:evade|dodge|avoid paying|hide from) (?:the )?tax(?:es| office| authorities)?"
    r"|launder money|forge (?:a |an |the )?(?:passport|signature|documents?|invoice)|counterfeit"
    r"|hack into|break into|steal|bribe|blackmail|stalk)\b",
    r"(?:可以|应该|首先|只需|步骤|方法是|教你)[^。\n]{0,30}"
    r"(?:(?:制造|制作|合成|组装)[^。\n]{0,15}(?:炸弹|炸药|毒品|冰毒|枪支)"
    r"|偷税|逃税|洗钱|伪造(?:护照|签名|证件|发票)|行贿|入侵(?:系统|网络)|盗窃|敲诈)",
)
"""Advice rather than mention: a law that forbids something may be quoted."""
_FORBIDS = any_of(
    r"\b(?:must not|may not|not allowed|forbidden|prohibited|illegal|unlawful|never|do not|don't|offen[cs]e)\b",
    r"不得|禁止|严禁|违法|非法|不允许|不可|不应|犯罪",
)

_RISKY = any_of(
    r"\b(?:bomb\w*|explosi\w+|weapon\w*|guns?|grenades?|drugs?|narcotic\w*|poison\w*|kill\w*|murder\w*|terror\w*"
    r"|suicid\w*|self-harm|tortur\w*|genocid\w*|massacre\w*|riots?|coups?|overthrow\w*|propaganda|hack\w*|steal\w*"
    r"|launder\w*|forg(?:e|ed|ery|ing)|counterfeit\w*|brib\w+|blackmail\w*|evad\w+|illegal\w*|unlawful\w*)\b",
    r"炸弹|炸药|爆炸|武器|枪|毒品|毒药|杀|恐怖|自杀|自残|酷刑|屠杀|暴乱|暴力|政变|颠覆|煽动|黑客|盗窃|洗钱|伪造|假冒"
    r"|行贿|贿赂|敲诈|逃税|偷税|违法|非法",
)
"""Words with which rules cannot tell advice from mention, so that a model is asked."""


def is_delicate(question: str, answer: str) -> bool:
    """Whether a text contains words that no rule can judge."""
    return _RISKY.search(normal_form(f"{question}\n{answer}")) is not None


def is_clear(question: str, answer: str, passages: Sequence[Passage], understood: Understanding) -> bool:
    """Whether an answer without violations by rule needs no model's judgement.

    Every claim is supported in the language of the passages, and neither side contains delicate words. An answer
    without passages is clear when it answers small talk or declines an errand.
    """
    if is_delicate(question, answer):
        return False
    if not passages:
        return not understood.is_question
    if unsupported_sentences(answer, passages):
        return False
    return all(any(same_script(claim, passage.chunk.text) for passage in passages) for claim in claims(answer))


def sensitive_sentences(answer: str, terms: Sequence[str]) -> list[str]:
    return _sentences_with(_compiled(tuple(terms)), answer)


def unlawful_sentences(answer: str) -> list[str]:
    return [it for it in _sentences_with(_UNLAWFUL, answer) if not _FORBIDS.search(normal_form(it))]


def baseless_sentences(answer: str, passages: Sequence[Passage]) -> list[str]:
    """Claims without support if there are too many to be merely marked, else empty."""
    lacking = unsupported_sentences(answer, passages)
    return lacking if len(lacking) > MAX_UNSUPPORTED * len(claims(answer)) else []


def without_sentences(answer: str, dropped: Sequence[str]) -> str:
    """The answer without the lines and sentences that contain any of the given ones."""
    kept = []
    for line in answer.splitlines():
        left = [part for part in sentences_with_markers(line) if not any(d in without_markers(part) for d in dropped)]
        kept.append("".join(left).rstrip() if left or not line.strip() else None)
    return "\n".join(line for line in kept if line is not None).strip()


def _sentences_with(wanted: re.Pattern[str], answer: str) -> list[str]:
    """Sentences that match; answers that do not as a whole, nearly all of them, are not cut into sentences."""
    plain = without_markers(answer)
    if not wanted.search(normal_form(plain)):
        return []
    found = (sentence for line in plain.splitlines() for sentence in sentences(line))
    return [sentence for sentence in found if wanted.search(normal_form(sentence))]


@lru_cache(maxsize=8)
def _compiled(terms: tuple[str, ...]) -> re.Pattern[str]:
    """Of the terms; Latin ones match only at the beginning of a word."""
    split = [words for term in terms if (words := normal_form(term).lower().split())]
    found = [(r"\b" if words[0].isascii() else "") + r"\s+".join(map(re.escape, words)) for words in split]
    return re.compile("|".join(found) or "(?!)", re.IGNORECASE)
