"""Questions about named things in the knowledge graph: how two are connected, what is stated of one."""

import re
from functools import cache

from core.graph.questions import GraphQuestion
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.stopwords import without_article
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.graph.asked import EXAMPLES
from core.rulebook.graph.statements import asked_statement
from core.rulebook.understanding.questions import strip_frames

__all__ = ["asked_statement", "named_by_form"]

LONGEST = 160
"""Characters of a question."""
LONGEST_NAME = 60
_MASK = re.compile(r"(?<![A-Za-z])[XYZ](?![A-Za-z])")
_AROUND = ' "“”«»《》「」『』'
_AND = re.compile("[和与跟同]")
"""Interchangeable between two names."""


def named_by_form(question: str) -> tuple[str, str] | None:
    """Return the two names in a question that otherwise equals an example of one for a connection, word for word.

    Of several readings, the one with the shortest names is returned.
    """
    plain = normal_form(strip_frames(question))
    if len(plain) > LONGEST:
        return None
    folded = plain.casefold()
    matches = (_pattern(form).match(plain) for words, form in _forms() if all(word in folded for word in words))
    pairs = [(_name(match["X"]), _name(match["Y"])) for match in matches if match]
    names = [pair for pair in pairs if all(0 < len(name) <= LONGEST_NAME and content_terms(name) for name in pair)]
    return min(names, key=lambda pair: len(pair[0]) + len(pair[1]), default=None)


def _name(found: str) -> str:
    return without_article(found.strip(_AROUND)).strip(_AROUND)


@cache
def _forms() -> list[tuple[tuple[str, ...], str]]:
    """Return (required words, example) of each form."""
    lines = (EXAMPLES / f"{GraphQuestion.CONNECTION}.txt").read_text(encoding="utf-8").splitlines()
    two = [line for line in lines if [mask.group() for mask in _MASK.finditer(line)] == ["X", "Y"]]
    return [(tuple(_AND.sub(" ", _MASK.sub(" ", line)).split()), line) for line in two]


@cache
def _pattern(line: str) -> re.Pattern[str]:
    gap = r"[\s,，、:：]*" if HAN_CHARACTER.search(line) else r"[\s,:]+"
    parts: list[str] = []
    for piece in re.split(r"([XY]|[\s,:，、：]+)", line):
        if piece in ("X", "Y"):
            parts.append(f"(?P<{piece}>.+?)")
        elif piece.strip(" ,:，、："):
            parts.append(_AND.sub(_AND.pattern, piece))
    return re.compile(rf"^\W*?{gap.join(parts)}[\s?？.。!！]*$", re.IGNORECASE)
