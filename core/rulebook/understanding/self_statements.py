"""Whether a message tells something lasting of its writer, or asks to remember or forget it, by labelled examples."""

from collections.abc import Mapping
from enum import StrEnum
from functools import cached_property
from pathlib import Path

from core.memory.model import MemoryRequest
from core.models.ports import Embedder
from core.platform.language.terms import normal_form
from core.rulebook.understanding.fitted import FITTED, MAX_LENGTH, Examples, lines_of, read_labelled
from core.rulebook.understanding.request_wordings import RequestWordings
from core.rulebook.understanding.statements import PersonalMessage

EXAMPLES = Path(__file__).with_name("examples") / "self"
"""One file per label, one message per line in the form of normal_form(), without the mark of a statement.

What is to be remembered or forgotten stands in {braces}.
"""
REFUSALS = EXAMPLES.with_name("unkept")
"""The same of messages that are not to be remembered, and of others with like words.

Of 130 such messages that were left out 56 % have a positive margin, of 130 others, written to be mistaken for one, 5 %.
"""
LEAD = 0.1
"""Least lead of a request's margin over those of others: when their own weight is left out, 71 % of the examples have
it, and 40 of 4,371 others, many of them written to be mistaken for one."""
WORDED = -0.9
"""Margin from which a message without a question is a request that begins or ends like one among the examples."""
_MARKS = " .。!！"
"""A question keeps its mark, which tells it from a statement."""


class OfSelf(StrEnum):
    TOLD = "told"
    REMEMBER = "remember"
    FORGET = "forget"
    OTHER = "other"


class Kept(StrEnum):
    UNKEPT = "unkept"
    OTHER = "other"


class SelfStatements:
    """Classifies messages; thread-safe. Without a semantic embedder only requests worded like an example are known."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder

    def margin(self, sentence: str) -> float:
        """Of a statement, asked to be remembered or not, from about -1 to 1; see core/agents/nodes/understood.py."""
        of = self._margins(sentence)
        return (of[OfSelf.TOLD] + of[OfSelf.REMEMBER] - of[OfSelf.FORGET] - of[OfSelf.OTHER]) / 2 if of else -1.0

    def request(self, message: str) -> MemoryRequest | None:
        words = message.strip(_MARKS)[:MAX_LENGTH]
        if self._refusals.margins(words).get(Kept.UNKEPT, -1.0) > 0:
            return MemoryRequest("", is_refused=True)
        kind = self._kind_of(words)
        if kind is OfSelf.FORGET:
            return MemoryRequest(self._wordings[kind].subject(words), forgets=True)
        if kind is OfSelf.REMEMBER:
            statement = self._wordings[kind].statement(words)
            if not self._wordings[kind].is_all_of(statement):
                return MemoryRequest(statement, is_certain=statement != words)
        return None

    def _kind_of(self, message: str) -> OfSelf:
        margins, asks = self._margins(normal_form(message)), PersonalMessage(message).asks
        for kind, wordings in self._wordings.items():
            if margins.get(kind, 0.0) >= WORDED and not asks and wordings.begin_or_end(message):
                return kind
        if not margins:
            return OfSelf.OTHER
        kind = max(self._wordings, key=lambda label: margins[label])
        lead = margins[kind] - max(margins[OfSelf.TOLD], margins[OfSelf.OTHER])
        return kind if lead >= LEAD else OfSelf.OTHER

    def _margins(self, message: str) -> Mapping[OfSelf, float]:
        return self._examples.margins(message.rstrip(_MARKS))

    @cached_property
    def _examples(self) -> Examples[OfSelf]:
        return Examples(self._embedder, read_examples(), EXAMPLES / FITTED)

    @cached_property
    def _refusals(self) -> Examples[Kept]:
        return Examples(self._embedder, read_refusals(), REFUSALS / FITTED)

    @cached_property
    def _wordings(self) -> Mapping[OfSelf, RequestWordings]:
        return {label: RequestWordings(lines_of(EXAMPLES, label)) for label in (OfSelf.REMEMBER, OfSelf.FORGET)}


def read_examples() -> Mapping[str, OfSelf]:
    """With those of messages that are nothing but a statement, and of errands."""
    beside = {OfSelf.TOLD: "statement", OfSelf.OTHER: "errand"}
    others = {line: label for label, name in beside.items() for line in lines_of(EXAMPLES.parent, name)}
    return others | {line.translate(_BRACES): label for line, label in read_labelled(EXAMPLES, OfSelf).items()}


def read_refusals() -> Mapping[str, Kept]:
    return read_labelled(REFUSALS, Kept)


_BRACES = str.maketrans("", "", "{}")
