"""The Chinese extractor: names, terms, quoted and Latin names of a document, then every mention of them."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from core.graph.model import ExtractedName
from core.platform.language.stretches import Interval
from core.rulebook.entities.chinese.aliases import find_aliases
from core.rulebook.entities.chinese.latin_names import count_lower, find_latin, find_variables
from core.rulebook.entities.chinese.names import ChineseName, as_nouns, find_fronts, find_names
from core.rulebook.entities.chinese.screening import junk
from core.rulebook.entities.chinese.segmentation import Dictionary
from core.rulebook.entities.chinese.terms import (
    TITLE_MARKS,
    QuotedUnits,
    count_quoted,
    find_quoted,
    find_recurring,
    find_terms,
    quotes,
    with_constant_modifiers,
)
from core.rulebook.entities.chinese.units import TextUnit, units_of
from core.rulebook.entities.lexicon import words
from core.rulebook.entities.meanings import Meanings
from core.rulebook.entities.registry import Known
from core.rulebook.entities.spans import CONCEPT, LOCATION, PERSON

_ALIAS_CONFIDENCE = 0.8
_JOINING = frozenset("cdfpuvy")
"""First letters of the tags of characters that join words rather than end names."""
_OFTEN = 2
_SHORT = 3
"""Names below this length must be whole words where they occur."""


class NamesBySurface:
    """The names of one document by their surface."""

    def __init__(self) -> None:
        self._known: dict[str, Known] = defaultdict(Known)
        self._lengths: dict[str, list[int]] = {}
        self._variables: frozenset[str] = frozenset()
        self._cut: set[str] = set()
        """Names of persons cut from longer stretches; any character may follow them."""

    def collect(self, documents: list[list[TextUnit]], quoted: list[list[QuotedUnits]]) -> None:
        counts, lower = count_quoted(documents, quoted), count_lower(documents)
        self._variables = find_variables(documents)
        named = [find_names(units) for units in documents]
        fronts = find_fronts(documents, named)
        documents = [as_nouns(units, fronts) for units in documents]
        taken: list[set[int]] = []
        for units, marks, names in zip(documents, quoted, named, strict=True):
            found = list(find_quoted(units, marks, counts))
            covered = {index for name in found for index in range(name.first, name.last + 1)}
            covered |= {i for quote in marks if quote.mark in TITLE_MARKS for i in range(quote.first, quote.last + 1)}
            kept = [name for name in names if name.first < name.last or units[name.first].text not in fronts]
            for name in [*kept, *find_latin(units, lower)]:
                inside = set(range(name.first, name.last + 1))
                if not inside & covered:
                    found.append(name)
                    covered |= inside
            for name in found:
                self._add(units, name)
            taken.append(covered)
        terms = [
            (units, name)
            for units, covered in zip(documents, taken, strict=True)
            for name in find_terms(units, covered)
        ]
        for units, name in with_constant_modifiers([*terms, *find_recurring(documents, taken)]):
            self._add(units, name)

    def _add(self, units: list[TextUnit], name: ChineseName) -> None:
        parts = units[name.first : name.last + 1]
        surface = "".join(unit.text for unit in parts)
        if len(surface) < 2 or parts[-1].end - parts[0].start != len(surface) or surface in self._variables:
            return
        known = self._known[surface]
        known.confidence = max(known.confidence, name.confidence)
        known.add(name.type, name.weight)
        known.count += 1

    def all(self) -> Iterator[tuple[str, Known]]:
        yield from self._known.items()

    def is_known(self, surface: str) -> bool:
        return surface in self._known

    def known(self, surface: str) -> Known:
        return self._known[surface]

    def drop(self, surfaces: Iterable[str]) -> None:
        """Remove names; parts of them that are names by themselves stay."""
        for surface in surfaces:
            del self._known[surface]
        self.settle()

    def add_alias(self, name: str, other: str) -> None:
        """Make each an alias of the other; the type is that of the name."""
        if other in self._variables:
            return
        first, second = self._known[name], self._known[other]
        first.aliases[other] = None
        second.aliases[name] = None
        second.evidence = dict(first.evidence)
        first.confidence = second.confidence = max(first.confidence, _ALIAS_CONFIDENCE)

    def cut_overlong(self, texts: Sequence[str], dictionary: Dictionary) -> None:
        """Cut names of persons that include a character of what follows: 孙权令 and 孙权为 are 孙权."""
        fronts: dict[str, list[str]] = defaultdict(list)
        for name, known in self._known.items():
            tag = dictionary.tags.get(name[-1], "n") if len(name) == _SHORT else "n"
            if tag[0] in _JOINING and known.best() == PERSON and name[:2] not in words("zh_surnames"):
                fronts[name[:2]].append(name)
        for front, overlong in fronts.items():
            elsewhere = sum(text.count(front) for text in texts) - sum(text.count(overlong[0]) for text in texts)
            if len(overlong) == 1 and elsewhere < _OFTEN:
                continue
            for name in overlong:
                dropped = self._known.pop(name)
                self._cut.add(front)
                known = self._known[front]
                known.confidence = max(known.confidence, dropped.confidence)
                known.add(PERSON, dropped.evidence.get(PERSON, 0.0))
                known.count += dropped.count

    def drop_posts(self) -> None:
        """Drop terms that end in a title, which are the posts of persons: 学术委员会委员."""
        titles = tuple(words("zh_titles"))
        posts = [name for name, known in self._known.items() if known.best() == CONCEPT and name.endswith(titles)]
        for name in posts:
            del self._known[name]

    def settle(self) -> None:
        """Index the names by their first two characters."""
        lengths: dict[str, set[int]] = defaultdict(set)
        for name in self._known:
            lengths[name[:2]].add(len(name))
        self._lengths = {start: sorted(found, reverse=True) for start, found in lengths.items()}

    def found(self, text: str, units: list[TextUnit], marks: list[QuotedUnits]) -> Iterator[ExtractedName]:
        """Every mention of a known name, longest match first; inside a title only the title itself."""
        ends = {unit.end for unit in units}
        titles = [(units[q.first].start, units[q.last].end) for q in marks if q.mark in TITLE_MARKS]
        position = 0
        for unit in units:
            start = unit.start
            name = self._match(text, start, ends) if start >= position else ""
            end = start + len(name)
            if not name or any(first <= start < last and (start, end) != (first, last) for first, last in titles):
                continue
            known = self._known[name]
            yield ExtractedName(start, end, name, known.best(), known.certainty(), tuple(known.aliases))
            position = end

    def _match(self, text: str, start: int, ends: set[int]) -> str:
        for length in self._lengths.get(text[start : start + 2], ()):
            name = text[start : start + length]
            if name in self._known and self._stands_alone(text, name, start + length, ends):
                return name
        return ""

    def _stands_alone(self, text: str, name: str, end: int, ends: set[int]) -> bool:
        """Whether a word ends where the name does; a long name may show that the words were cut wrongly."""
        if end not in ends and (name[-1].isascii() or (len(name) < _SHORT and name not in self._cut)):
            return False
        people = self._known[name].best() in (LOCATION, PERSON)
        return not (people and text[end : end + 1] in words("zh_people_suffixes"))


@dataclass(frozen=True, slots=True)
class ChineseCandidates:
    """Findings of the rules in the texts of a document, before they are screened."""

    texts: Sequence[str]
    documents: list[list[TextUnit]]
    quoted: list[list[QuotedUnits]]
    names: NamesBySurface

    def found(self) -> list[list[ExtractedName]]:
        parts = zip(self.texts, self.documents, self.quoted, strict=True)
        return [list(self.names.found(text, units, marks)) for text, units, marks in parts]


def extract_chinese(
    texts: Sequence[str],
    masked: Sequence[Sequence[Interval]],
    dictionary: Dictionary,
    meanings: Meanings | None = None,
) -> list[list[ExtractedName]]:
    """Entities of every text in order, not overlapping; masked holds the stretches of each text to leave out."""
    read = read_chinese(texts, masked, dictionary, meanings)
    found = read.found()
    dropped = junk(read.documents, found, read.names.known, dictionary)
    if not dropped:
        return found
    read.names.drop(dropped)
    return read.found()


def read_chinese(
    texts: Sequence[str],
    masked: Sequence[Sequence[Interval]],
    dictionary: Dictionary,
    meanings: Meanings | None = None,
) -> ChineseCandidates:
    documents = [units_of(text, dictionary, mask) for text, mask in zip(texts, masked, strict=True)]
    quoted = [list(quotes(units)) for units in documents]
    names = NamesBySurface()
    names.collect(documents, quoted)
    names.cut_overlong(texts, dictionary)
    names.drop_posts()
    for text, units in zip(texts, documents, strict=True):
        for name, other in find_aliases(text, units, names.is_known):
            names.add_alias(name, other)
    names.settle()
    if meanings is not None:
        meanings.weigh(((name, known) for name, known in names.all() if not _is_program(name)), len(texts))
    return ChineseCandidates(texts, documents, quoted, names)


def _is_program(name: str) -> bool:
    """Latin words in small letters name programs; the encoder knows them as everyday words: apt, man."""
    return name.isascii() and name.islower()
