"""Splits two-part questions ("When was X founded and who leads it?") where the split is certain.

What the first part is about is found by its syntax: "the bakery" of "When does the bakery open on Sunday?".
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.terms import content_terms
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.clauses import (
    MODAL,
    WITHOUT_SUBJECT,
    asks,
    before_interrogative,
    clauses_of,
    has_interrogative,
)
from core.rulebook.understanding.followups import leans_on_history, resolve
from core.rulebook.understanding.questions import kind_of, strip_frames
from core.rulebook.understanding.topics import PARTICLES, KnownNames, names_in, topic_of
from core.runs.model import Turn

if TYPE_CHECKING:
    from core.rulebook.syntax.parser import Word

_TOGETHER = frozenset({QuestionKind.COMPARISON, QuestionKind.RELATION})
"""Kinds of questions that concern two things at once and are never split."""
_WHAT_IS = re.compile(r"(?:who|what|which|when|how\s+\w+)\s+(?:is|are|was|were)", re.IGNORECASE)
_PLURAL = re.compile(r"\b(?:they|them|theirs?|these|those)\b", re.IGNORECASE)
_ENDS = " ?？!！。."


@lru_cache(maxsize=64)
def parts_of(question: str) -> tuple[str, ...]:
    """The two standalone questions; empty for a single question."""
    plain = strip_frames(question)
    if kind_of(question) in _TOGETHER:
        return ()
    han = HAN_CHARACTER.search(plain) is not None
    clauses = clauses_of(plain)
    if len(clauses) != 2 or not all(map(asks, clauses)):
        return ()
    first, second = (f"{clause.strip(_ENDS)}{'？' if han else '?'}" for clause in clauses)
    standing = _standing(first, second, han)
    return (first[:1].upper() + first[1:], standing[:1].upper() + standing[1:]) if standing else ()


def _asks_what_is(topic: str, question: str) -> bool:
    """The question is "Who is ...?" or "How much is ...?" and no more: the topic is no piece of a longer clause."""
    before, found, behind = PARTICLES.sub("", question).partition(f" {topic}")
    return bool(topic and found) and not behind and _WHAT_IS.fullmatch(before) is not None


def _standing(first: str, second: str, han: bool) -> str:
    """The second part in standalone form; "" if that is uncertain."""
    if leans_on_history(second):
        topic = _topic(first, han, plural=_PLURAL.search(second) is not None)
        history = [Turn("user", first)]
        found = (resolve(second, history, names) for names in (KnownNames((topic,)), KnownNames()))
        return next((one for one in found if PARTICLES.sub("", first) not in one), "") if topic else ""
    if han and before_interrogative(second) in {*WITHOUT_SUBJECT, ""}:
        topic = _topic(first, han)
        return f"{topic}{second}" if topic else ""
    return second if han or len(content_terms(second)) > 1 else ""


def _topic(first: str, han: bool, *, plural: bool = False) -> str:
    """Return what the first part names: a name that it is about or of, else a noun; "" if that is uncertain."""
    topic = topic_of(first, KnownNames())
    if han:
        topic = topic or (before_interrogative(first) or "").rstrip(MODAL)
        return "" if has_interrogative(topic) else topic
    if _asks_what_is(topic, first):
        return topic
    name, phrase = topic if topic in names_in(first) else "", subject_phrase(first, plural=plural)
    is_its = rf"(?:.*\bof\s+)?(?:(?:the|an?|my|our)\s+)?{re.escape(name)}(?:['’]s\b.*)?"
    return name if name and re.fullmatch(is_its, phrase, re.IGNORECASE) else phrase or name


_DOES_SO = pattern(
    r"^(?:what|when|where|why|how(?:\s+\w+)?)\s+(?:do|does|did)\s+(?P<subject>(?:the|an?|my|our)\s(?:(?!\b(?:in|on|at|to"
    r"|for|from|with|by)\b).)+)\s\w+\W*$",
    re.IGNORECASE,
)
"""The parser takes "the annual pass cost" for a noun."""
_MODIFIES = frozenset({"det", "amod", "compound", "poss", "nummod", "npadvmod", "punct", "prep"})


def subject_phrase(question: str, *, plural: bool) -> str:
    """The subject, else the object, else what follows a preposition, in the number; "" where there is none."""
    if found := _DOES_SO.match(question):
        return found["subject"]
    from core.rulebook.syntax.parser import parsed

    (words,) = parsed([(question, (0, len(question)))])
    head = next((head for head in _heads(words) if head.tag.endswith("S") is plural), None)
    phrase = [*_words_of(head)] if head else []
    return question[min(word.start for word in phrase) : max(word.end for word in phrase)] if phrase else ""


def _heads(words: list["Word"]) -> Iterator["Word"]:
    roots = [word for word in words if word.head < 0]
    for labels in (("nsubj", "nsubjpass"), ("dobj",), ("attr",)):
        yield from (word for root in roots for word in root.of(*labels) if word.is_noun)
    for root in roots:
        yield from (word for preposition in root.of("prep") for word in preposition.of("pobj") if word.is_noun)


def _words_of(head: "Word") -> Iterator["Word"]:
    """The noun with what modifies it, without clauses and question words."""
    yield head
    for child in head.children:
        modifier = [*_all_of(child)]
        asks = any(word.tag.startswith("W") for word in modifier)
        if child.label in _MODIFIES and not asks and (child.label == "prep" or child.place < head.place):
            yield from modifier


def _all_of(word: "Word") -> Iterator["Word"]:
    yield word
    for child in word.children:
        yield from _all_of(child)
