"""Splits two-part questions ("When was X founded and who leads it?") where the split is certain."""

import re
from functools import lru_cache

from core.builtin.intent.followups import PARTICLES, Names, leans_on_history, names_in, resolve, topic_of
from core.builtin.intent.questions import Kind, any_of, kind_of, strip_frames
from core.domain.runs import Turn
from core.language.scripts import HAN_CHARACTER
from core.language.sentences import sentences
from core.language.terms import content_terms, normal_form

_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)"
_ASKS = any_of(
    r"^who\s+\w+",
    rf"^(?:when|where|why|how)\s+{_VERB}\b",
    r"^how\s+(?:many|much|often|long|deep|large|big|high|tall|far|old|fast)\b",
    rf"^(?:what|which)\s+(?:\w+\s+){{0,3}}{_VERB}\b",
)
"""An interrogative clause; "how it works" and "when it rains" are not."""
_AND = re.compile(r"\s*,?\s+and\s+(?=(?:who|when|where|why|how|what|which)\b)", re.IGNORECASE)
_ZH_AND = re.compile(r"[，,；;]\s*(?:并且|並且|以及|而且|还有|還有)?|以及|并且|並且")
_ZH_ASKS = any_of(r"什么|谁|哪|多少|几(?!乎)|何[时地人]|怎么|怎样|如何|为[什何]|多[久长大深高远]")
_ZH_BEFORE = frozenset({"", "由", "在", "有", "位于", "为"})
"""What stands before the interrogative of a clause without a subject."""
_TOGETHER = frozenset({Kind.COMPARISON, Kind.RELATION})
"""Kinds of questions that concern two things at once and are never split."""


@lru_cache(maxsize=64)
def parts_of(question: str) -> tuple[str, ...]:
    """The two standalone questions; empty for a single question."""
    plain = strip_frames(question)
    if kind_of(question) in _TOGETHER:
        return ()
    han = HAN_CHARACTER.search(plain) is not None
    clauses = _clauses(plain, _ZH_AND if han else _AND)
    if len(clauses) != 2 or not all(_asks(clause, han) for clause in clauses):
        return ()
    first, second = (f"{PARTICLES.sub('', clause)}{'？' if han else '?'}" for clause in clauses)
    standing = _standing(first, second, han)
    return (first[:1].upper() + first[1:], standing[:1].upper() + standing[1:]) if standing else ()


def _clauses(plain: str, joint: re.Pattern[str]) -> list[str]:
    said = sentences(plain)
    if len(said) == 2 and all(sentence.rstrip().endswith(("?", "？")) for sentence in said):
        return said
    return joint.split(plain) if len(said) == 1 else []


def _asks(clause: str, han: bool) -> bool:
    cue = _ZH_ASKS if han else _ASKS
    return cue.search(normal_form(clause.strip())) is not None and bool(content_terms(clause))


def _standing(first: str, second: str, han: bool) -> str:
    """The second part in standalone form; "" if that is uncertain."""
    topic = topic_of(first, Names())
    named = not _ZH_ASKS.search(normal_form(topic)) if han else topic in names_in(first)
    topic = topic if named else ""
    if leans_on_history(second):
        resolved = resolve(second, [Turn("user", first)], Names())
        return resolved if topic and topic in resolved and PARTICLES.sub("", first) not in resolved else ""
    if han and _has_no_subject(normal_form(second)):
        return f"{topic}{second}" if topic else ""
    return second if han or len(content_terms(second)) > 1 else ""


def _has_no_subject(clause: str) -> bool:
    asks = _ZH_ASKS.search(clause)
    return asks is not None and clause[: asks.start()] in _ZH_BEFORE
