"""Extraction of names, and of relations stated between them, from English and Chinese texts, without a model."""

from collections.abc import Collection, Iterator, Sequence

from core.graph.model import CONCEPT, CREATIVE_WORK, TECHNOLOGY, ExtractedName, FoundRelation
from core.models.ports import EntityTagger, TaggedName
from core.platform.language.patterns import pattern
from core.platform.language.stretches import Interval
from core.rulebook.entities.acronyms import find_pairs, short_names
from core.rulebook.entities.boilerplate import masks
from core.rulebook.entities.chinese_bounds import at_words
from core.rulebook.entities.columns import typed_by_column
from core.rulebook.relations.chinese_segmentation import dictionary
from core.rulebook.relations.end_types import retyped
from core.rulebook.relations.stated import stated_in

__all__ = ["NameExtractor", "find_pairs", "statements_in"]
_TYPES = {"WORK": CREATIVE_WORK, "TERM": CONCEPT, "PRODUCT": TECHNOLOGY}
"""Of the tagger's kinds that have another name."""
_LETTERS = pattern(r"\w(?:/\w)*")
"""A single letter, or several apart as in "N/A", which stand for words and name nothing."""
SURE = 0.95
"""Confidence that one mention of a name has at least; of such names, three in four are what a reader would mark."""


class NameExtractor:
    """Takes the texts of a whole document at once, because one sure mention of a name tells the others."""

    def __init__(self, tagger: EntityTagger) -> None:
        self._tagger = tagger

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        """Return the entities of each text in order and without overlaps; text[start:end] is the surface form."""
        rows = [
            (text, list(at_words(text, tagged, dictionary)), masked)
            for text, tagged, masked in zip(texts, self._tagger.tag(texts), masks(texts), strict=True)
        ]
        sure = {
            text[each.start : each.end].lower()
            for text, tagged, _ in rows
            for each in tagged
            if each.confidence >= SURE
        }
        named = [short_names(text, list(_names(text, tagged, masked, sure))) for text, tagged, masked in rows]
        return typed_by_column([text for text, _, _ in rows], named)


def _names(
    text: str, tagged: Sequence[TaggedName], masked: Sequence[Interval], sure: Collection[str]
) -> Iterator[ExtractedName]:
    for each in tagged:
        name = " ".join(text[each.start : each.end].split())
        is_sure = text[each.start : each.end].lower() in sure
        is_masked = any(start < each.end and each.start < end for start, end in masked)
        if is_sure and not is_masked and any(map(str.isalpha, name)) and not _LETTERS.fullmatch(name):
            yield ExtractedName(each.start, each.end, name, _TYPES.get(each.kind, each.kind), each.kind_confidence)


def statements_in(
    texts: Sequence[str], found: Sequence[Sequence[ExtractedName]]
) -> tuple[list[FoundRelation], tuple[tuple[ExtractedName, ...], ...]]:
    """Return what the texts state of the names found in them, and the names with the types that this tells."""
    stated = list(stated_in(texts, found, dictionary))
    return stated, retyped(found, stated)
