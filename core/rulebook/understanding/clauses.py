"""Cuts a message into its questions: "When was X founded and who leads it?"."""

import re

from core.platform.language.patterns import any_of
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import sentences
from core.platform.language.terms import content_terms, normal_form

AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|may|must)"
_ASKS = any_of(
    r"^(?:who|which)\s+\w+",
    rf"^(?:when|where|why|how)\s+{AUXILIARY}(?:n['’]t)?\b",
    r"^how\s+(?:many|much|often|soon|long|wide|deep|large|big|high|tall|far|old|fast)\b",
    rf"^(?:\w+\s+)?(?:what|which)\s+(?:\w+\s+){{0,3}}{AUXILIARY}\b",
    r"^(?:\w+\s+)?(?:what|who|when|where|how)['’]?s\b",
    r"^what\s+happens\b",
    rf"^{AUXILIARY}\s+\w+",
)
"""An interrogative clause; "how it works" and "when it rains" are not."""
_AND = re.compile(rf"\s*,?\s+and\s+(?=(?:\w+\s+)?(?:who|when|where|why|how|what|which)\b|{AUXILIARY}\b)", re.IGNORECASE)
_ZH_AND = re.compile(r"[，,；;]\s*(?:并且|並且|以及|而且|还有|還有)?|以及|并且|並且")
_ZH_ASKS = any_of(r"[什甚]么|啥|谁|哪|多少|几(?!乎)|何[时地人]|怎么|怎样|如何|为[什何]|多[久长大深高远]")
_ZH_ASKS_WHETHER = any_of(r"吗\W*$|有没有|是否")
MODAL = "是有在要由"
"""Characters between a subject and its interrogative."""
WITHOUT_SUBJECT = frozenset({"由", "在", "有", "位于", "为"})
"""Text before the interrogative of a question that leaves its subject out."""


def clauses_of(plain: str) -> list[str]:
    said = sentences(plain)
    if len(said) == 2 and all(sentence.rstrip().endswith(("?", "？")) for sentence in said):
        return said
    joint = _ZH_AND if HAN_CHARACTER.search(plain) else _AND
    return joint.split(plain) if len(said) == 1 else []


def asks(clause: str) -> bool:
    """Return whether the clause is a question that says what it is about."""
    cues = (_ZH_ASKS, _ZH_ASKS_WHETHER) if HAN_CHARACTER.search(clause) else (_ASKS,)
    plain = normal_form(clause.strip())
    return any(cue.search(plain) for cue in cues) and bool(content_terms(clause))


def has_interrogative(text: str) -> bool:
    """Return whether a Chinese text has an interrogative."""
    return _ZH_ASKS.search(normal_form(text)) is not None


def before_interrogative(question: str) -> str | None:
    """Return the text before the interrogative of a Chinese question; None where it has none."""
    found = around_interrogative(question)
    return found[0] if found else None


def around_interrogative(question: str) -> tuple[str, str] | None:
    """The texts before and after the interrogative of a Chinese question; None where it has none."""
    plain = normal_form(question)
    found = _ZH_ASKS.search(plain)
    return (plain[: found.start()], plain[found.end() :]) if found else None
