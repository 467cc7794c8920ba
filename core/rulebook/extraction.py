"""Extraction of names, and of relations stated between them, from English and Chinese texts, without a model."""

from collections.abc import Sequence

from core.graph.model import ExtractedName, FoundRelation
from core.models.ports import Embedder
from core.platform.language.stretches import Interval, merged, split_by_script
from core.rulebook.entities.acronyms import find_pairs
from core.rulebook.entities.boilerplate import masks
from core.rulebook.entities.chinese.extractor import extract_chinese
from core.rulebook.entities.chinese.segmentation import dictionary
from core.rulebook.entities.chinese.traditional import is_traditional, restore, simplify
from core.rulebook.entities.english.extractor import extract_english
from core.rulebook.entities.meanings import Meanings
from core.rulebook.relations.end_types import retyped
from core.rulebook.relations.stated import stated_in

__all__ = ["NameExtractor", "find_pairs", "statements_in"]


class NameExtractor:
    """Takes the texts of a whole document at once, because their statistics decide what is a name or a term."""

    def __init__(self, embedder: Embedder | None = None) -> None:
        """embedder: for types by the meaning of names, if given."""
        self._meanings = None if embedder is None else Meanings(embedder)

    def extract(self, texts: Sequence[str], language: str) -> list[list[ExtractedName]]:
        """Return the entities of each text in order and without overlaps; text[start:end] is the surface form."""
        boilerplate = masks(texts)
        scripts = [split_by_script(text) for text in texts]
        found: list[list[ExtractedName]] = [[] for _ in texts]
        if any(other for _, other in scripts):
            masked = _masked(boilerplate, [chinese for chinese, _ in scripts])
            english = extract_english(texts, masked, self._meanings)
            found = [[*before, *new] for before, new in zip(found, english, strict=True)]
        if any(chinese for chinese, _ in scripts):
            masked = _masked(boilerplate, [other for _, other in scripts])
            chinese = self._chinese(texts, masked, language)
            found = [[*before, *new] for before, new in zip(found, chinese, strict=True)]
        return [sorted(row, key=lambda entity: entity.start) for row in found]

    def _chinese(self, texts: Sequence[str], masked: list[list[Interval]], language: str) -> list[list[ExtractedName]]:
        """Extract from traditional text by mapping characters one to one to simplified ones, which keeps offsets."""
        known = language in ("zh-hans", "zh-hant")
        if not (language == "zh-hant" if known else is_traditional(texts)):
            return extract_chinese(texts, masked, dictionary(), self._meanings)
        found = extract_chinese([simplify(text) for text in texts], masked, dictionary(), self._meanings)
        return restore(texts, found)


def _masked(boilerplate: Sequence[list[Interval]], foreign: Sequence[list[Interval]]) -> list[list[Interval]]:
    return [merged([*first, *second]) for first, second in zip(boilerplate, foreign, strict=True)]


def statements_in(
    texts: Sequence[str], found: Sequence[Sequence[ExtractedName]]
) -> tuple[list[FoundRelation], tuple[tuple[ExtractedName, ...], ...]]:
    """Return what the texts state of the names found in them, and the names with the types that this tells."""
    stated = list(stated_in(texts, found, dictionary))
    return stated, retyped(found, stated)
