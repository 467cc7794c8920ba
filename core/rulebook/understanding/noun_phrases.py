"""What an English question is about, by its syntax: "the bakery" of "When does the bakery open on Sunday?"."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.platform.language.patterns import pattern

if TYPE_CHECKING:
    from core.rulebook.syntax.parser import Word

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
