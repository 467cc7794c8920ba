"""Entities that a text goes on about without naming them: those of its headings, "the company"."""

import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from itertools import chain
from typing import NamedTuple

from core.documents.model import CELL_BREAK
from core.graph.model import ORGANIZATION, PERSON, ExtractedName, Place
from core.platform.language.stretches import Interval
from core.rulebook.entities.lexicon import is_legal_form

MOSTLY = 0.6
"""Least share of the characters of a heading or cell that its name takes."""
_LONGEST_TITLE = 120
_HEADING = re.compile(r"(?:\A|(?<=\n\n))[^\n]+(?=\n\n|\Z)")
"""A paragraph of one line."""
_TITLE = re.compile(r"[^\n]+")
_ENDS = (".", "。", "!", "！", "?", "？", ";", "；", ":", "：", ",", "，")
COMPANY = "company"
_DEFINED = re.compile(r"[^().;\n]{0,60}\([^()\"“]{0,30}[\"“](?:the )?(\w+)[\"”]")
"""Behind a name: (the "Company")."""

Spot = tuple[int, int]
"""(number of the text, place in it)."""


class Subjects:
    """What a document may go on about: names in its headings, and the last name that ends in a noun or is given it."""

    def __init__(self, texts: Sequence[str], found: Sequence[Sequence[ExtractedName]]) -> None:
        self._found = [frozenset(row) for row in found]
        self._homes = {each: number for number, row in enumerate(found) for each in row}
        self._by_noun: defaultdict[str, list[tuple[Spot, ExtractedName]]] = defaultdict(list)
        for number, (text, row) in enumerate(zip(texts, found, strict=True)):
            for each in row:
                for noun in _nouns(text, each):
                    self._by_noun[noun].append(((number, each.start), each))
        title = _TITLE.search(texts[0]) if texts else None
        self._title = _named_in(texts[0], title.span(), found[0]) if title else []
        self._named = [
            ((number, line.start()), names[0])
            for number, (text, row) in enumerate(zip(texts, found, strict=True))
            for line in chain([title] if title and not number else (), _HEADING.finditer(text))
            if len(names := _named_in(text, line.span(), row)) == 1
            and names[0].end - names[0].start >= MOSTLY * len(line.group().strip())
        ]

    def place(self, name: ExtractedName, number: int) -> Place:
        """Its place in the text of that number, or else in the one that has it."""
        return number if name in self._found[number] else self._homes[name], name.start, name.end

    def described(self, place: Spot) -> ExtractedName | None:
        """The name that the heading above a place consists of for the most part."""
        at = bisect(self._named, place, key=lambda each: each[0])
        return self._named[at - 1][1] if at else None

    def above(self, place: Spot) -> Sequence[ExtractedName]:
        """That name, then those of the document's title."""
        described = self.described(place)
        return [described, *self._title] if described else self._title

    def known_as(self, noun: str, place: Spot, topic: ExtractedName | None) -> ExtractedName | None:
        """The topic or the last name before a place that "the museum" may stand for: the Nidderdale Museum."""
        named = self._by_noun.get(noun, [])
        before = [each for _, each in named[: bisect(named, place, key=lambda each: each[0])]]
        alike = {each.name for each in before}
        for each in (topic, *self.above(place)):
            if each and each.type == ORGANIZATION and (noun == COMPANY or each.name in alike):
                return each
        return before[-1] if before else None

    @property
    def nouns(self) -> Collection[str]:
        return self._by_noun.keys()


class TextSubjects(NamedTuple):
    """Subjects as one of the texts sees them."""

    subjects: Subjects
    number: int

    def described(self, place: int) -> ExtractedName | None:
        return self.subjects.described((self.number, place))

    def above(self, place: int) -> Sequence[ExtractedName]:
        return self.subjects.above((self.number, place))

    def known_as(self, noun: str, place: int, topic: ExtractedName | None) -> ExtractedName | None:
        return self.subjects.known_as(noun, (self.number, place), topic)


def _nouns(text: str, name: ExtractedName) -> Iterator[str]:
    """The last word of a name of several, "company" for a legal form, and what the text defines behind it."""
    words = name.name.split()
    if len(words) > 1 and name.type != PERSON and words[-1][0].isupper():
        yield COMPANY if is_legal_form(words[-1]) else words[-1].lower()
    if name.type in (PERSON, ORGANIZATION) and (defined := _DEFINED.match(text, name.end)):
        yield defined[1].lower()


def _named_in(text: str, line: Interval, names: Sequence[ExtractedName]) -> Sequence[ExtractedName]:
    """The names of a line that may be a heading."""
    start, end = line
    bare = text[start:end].strip()
    if CELL_BREAK.strip() in bare or len(bare) > _LONGEST_TITLE or bare.endswith(_ENDS):
        return []
    return [each for each in names if start <= each.start and each.end <= end]
