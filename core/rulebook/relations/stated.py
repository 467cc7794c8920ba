"""Statements of the texts of a document about the entities found in them."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import chain

from core.documents.model import CELL_BREAK
from core.graph.model import ExtractedName, FoundRelation
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import row_spans
from core.platform.language.stretches import Interval
from core.rulebook.relations.arguments import Sentence, read_names, sentence_of
from core.rulebook.relations.chinese_segmentation import Dictionary
from core.rulebook.relations.chinese_sentences import said_in_chinese
from core.rulebook.relations.english import said_in
from core.rulebook.relations.said import Said
from core.rulebook.relations.subjects import Subjects, TextSubjects
from core.rulebook.relations.tables import said_in_lines, said_in_rows
from core.rulebook.relations.traditional import simplify
from core.rulebook.syntax.parser import Word, parsed

_TEXTS = 12
"""Number of texts whose sentences are parsed together."""
_PARAGRAPH = re.compile(r"\n\s*\n")
_DEFINITE = re.compile(r"\b(?:the|this) (\w+)", re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she|it|its|his|her|him|we|our|us|the company)\b", re.IGNORECASE)


def stated_in(
    texts: Sequence[str], found: Sequence[Sequence[ExtractedName]], dictionary: Callable[[], Dictionary]
) -> Iterator[FoundRelation]:
    """dictionary: of Chinese words, read where there are some."""
    subjects = Subjects(texts, found)
    for first in range(0, len(texts), _TEXTS):
        some = [
            _Read(texts[number], found[number], TextSubjects(subjects, number))
            for number in range(first, min(first + _TEXTS, len(texts)))
        ]
        sentences = [(read.text, span) for read in some for span in read.english]
        words = iter(parsed(sentences))
        for number, read in enumerate(some, first):
            rows = said_in_rows(read.text, read.entities)
            lines = said_in_lines(read.text, read.entities, read.context)
            for span, said in chain(_english(read, words), _chinese(read, dictionary), rows, lines):
                source, target = (subjects.place(each, number) for each in (said.source, said.target))
                yield FoundRelation(source, target, said.relation, round(said.confidence, 3), (number, *span))


class _Read:
    """A text with the sentences that are worth reading."""

    def __init__(self, text: str, entities: Sequence[ExtractedName], context: TextSubjects) -> None:
        self.text, self.entities, self.context = text, entities, context
        spans = [span for span in _sentences(text) if any(span[0] <= each.start < span[1] for each in entities)]
        self.chinese = [span for span in spans if _is_chinese(_around(text, span, entities))]
        others = [span for span in spans if span not in self.chinese]
        self.english = list(_worth_reading(text, others, entities, context.subjects.nouns))


def _is_chinese(words: str) -> bool:
    return len(HAN_CHARACTER.findall(words)) * 4 > sum(map(str.isalpha, words))


def _around(text: str, span: Interval, entities: Sequence[ExtractedName]) -> str:
    """The words around the names: foreign names in Chinese do not make it English."""
    inside = _inside(entities, span)
    starts = (span[0], *(each.end for each in inside))
    ends = (*(each.start for each in inside), span[1])
    return "".join(text[start:end] for start, end in zip(starts, ends, strict=True))


def _sentences(text: str) -> Iterator[Interval]:
    """Spans of sentences; each cell of a row is one of its own."""
    for start, end in row_spans(text, CELL_BREAK):
        at = start
        while (cut := text.find(CELL_BREAK, at, end)) >= 0:
            yield at, cut
            at = cut + len(CELL_BREAK)
        yield at, end


def _english(read: _Read, parsed_words: Iterator[list[Word]]) -> Iterator[tuple[Interval, Said]]:
    before: Sentence | None = None
    end = 0
    for span in read.english:
        if words := next(parsed_words):
            if _PARAGRAPH.search(read.text, end, span[0]):
                before = None
            before = sentence_of(words, read_names(words, _inside(read.entities, span)), before, read.context)
            yield from ((span, said) for said in dict.fromkeys(said_in(before)))
            end = span[1]


def _chinese(read: _Read, dictionary: Callable[[], Dictionary]) -> Iterator[tuple[Interval, Said]]:
    plain = simplify(read.text) if read.chinese else ""
    for span in read.chinese:
        said = said_in_chinese(plain, *span, _inside(read.entities, span), dictionary())
        yield from ((span, each) for each in dict.fromkeys(said))


def _worth_reading(
    text: str, spans: Sequence[Interval], entities: Sequence[ExtractedName], nouns: Collection[str]
) -> Iterator[Interval]:
    """Sentences with two names, or with one and what may stand for another, and those before a pronoun."""
    for number, span in enumerate(spans):
        names = len(_inside(entities, span))
        has_pronoun = any(_PRONOUN.search(text, *each) for each in spans[number : number + 2])
        if names > 1 or (names and (has_pronoun or _refers(text, span, nouns))):
            yield span


def _refers(text: str, span: Interval, nouns: Collection[str]) -> bool:
    """Whether "the museum" in the sentence may stand for a name."""
    return any(each[1].lower() in nouns for each in _DEFINITE.finditer(text, *span))


def _inside(entities: Sequence[ExtractedName], span: Interval) -> list[ExtractedName]:
    return [each for each in entities if span[0] <= each.start and each.end <= span[1]]
