"""What the texts of a document state of the entities found in them."""

import re
from collections.abc import Callable, Iterator, Sequence

from core.documents.model import CELL_BREAK
from core.graph.model import ExtractedName, FoundRelation
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.sentences import sentence_spans
from core.rulebook.entities.chinese.segmentation import Dictionary
from core.rulebook.entities.chinese.traditional import simplify
from core.rulebook.relations.arguments import Sentence, read_names, sentence_of
from core.rulebook.relations.chinese import said_in_chinese
from core.rulebook.relations.english import said_in
from core.rulebook.relations.said import Said
from core.rulebook.syntax.parser import parsed

Interval = tuple[int, int]
_PARAGRAPH = re.compile(r"\n\s*\n")
_PRONOUN = re.compile(r"\b(?:he|she|it|its|his|her|him)\b", re.IGNORECASE)


def stated_in(
    texts: Sequence[str], found: Sequence[Sequence[ExtractedName]], dictionary: Callable[[], Dictionary]
) -> Iterator[FoundRelation]:
    for number, (text, entities) in enumerate(zip(texts, found, strict=True)):
        for span, said in said_of(text, entities, dictionary):
            source, target = ((number, each.start, each.end) for each in (said.source, said.target))
            yield FoundRelation(source, target, said.relation, round(said.confidence, 3), (number, *span))


def said_of(
    text: str, entities: Sequence[ExtractedName], dictionary: Callable[[], Dictionary]
) -> Iterator[tuple[Interval, Said]]:
    """Sentence by sentence, with where it stands. dictionary: of Chinese words, read where there are some."""
    spans = [span for span in _sentences(text) if any(span[0] <= each.start < span[1] for each in entities)]
    chinese = [span for span in spans if len(HAN_CHARACTER.findall(text, *span)) * 4 > span[1] - span[0]]
    yield from _english(text, [span for span in spans if span not in chinese], entities)
    plain = simplify(text) if chinese else text
    for span in chinese:
        said = said_in_chinese(plain, *span, _inside(entities, span), dictionary())
        yield from ((span, each) for each in dict.fromkeys(said))


def _sentences(text: str) -> Iterator[Interval]:
    """The cells of a row are read each by itself."""
    for start, end in sentence_spans(text):
        at = start
        while (cut := text.find(CELL_BREAK, at, end)) >= 0:
            yield at, cut
            at = cut + len(CELL_BREAK)
        yield at, end


def _english(
    text: str, spans: Sequence[Interval], entities: Sequence[ExtractedName]
) -> Iterator[tuple[Interval, Said]]:
    before: Sentence | None = None
    end = 0
    spans = list(_worth_reading(text, spans, entities))
    for span, words in zip(spans, parsed(text, spans), strict=True):
        if words:
            if _PARAGRAPH.search(text, end, span[0]):
                before = None
            before = sentence_of(words, read_names(words, _inside(entities, span)), before)
            yield from ((span, said) for said in dict.fromkeys(said_in(before)))
            end = span[1]


def _worth_reading(text: str, spans: Sequence[Interval], entities: Sequence[ExtractedName]) -> Iterator[Interval]:
    """Sentences with two names, or with one and a pronoun, and those before a pronoun."""
    for number, span in enumerate(spans):
        following = spans[number + 1] if number + 1 < len(spans) else span
        names = len(_inside(entities, span))
        if names > 1 or (names and any(_PRONOUN.search(text, *each) for each in (span, following))):
            yield span


def _inside(entities: Sequence[ExtractedName], span: Interval) -> list[ExtractedName]:
    return [each for each in entities if span[0] <= each.start and each.end <= span[1]]
