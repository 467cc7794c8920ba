"""The extractor that needs nothing: rules for English and Chinese, with jieba's dictionary for Chinese words."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from sys import intern

from core.domain.knowledge import Found
from core.errors import ConfigurationError
from core.extraction.chinese import extract_chinese
from core.extraction.english import extract_english
from core.extraction.furniture import Interval, masks, merged
from core.extraction.scripts import split_by_script
from core.extraction.segmentation import Dictionary, build_dictionary
from core.extraction.traditional import is_traditional, restore, simplify
from core.ports import BUILT_IN, Extraction, ExtractionOrder


class BuiltinExtractor:
    """DocumentExtractor. All texts of a document at once: its statistics decide what is a name and what is a term."""

    engine = BUILT_IN

    def extract_document(self, order: ExtractionOrder) -> Extraction:
        return Extraction(tuple(map(tuple, self.extract(order.texts, order.language))))

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]:
        """Per text the entities in order, not overlapping, with text[start:end] as the surface."""
        furniture = masks(texts)
        scripts = [split_by_script(text) for text in texts]
        found: list[list[Found]] = [[] for _ in texts]
        if any(other for _, other in scripts):
            english = extract_english(texts, _masked(furniture, [chinese for chinese, _ in scripts]))
            found = [[*before, *new] for before, new in zip(found, english, strict=True)]
        if any(chinese for chinese, _ in scripts):
            masked = _masked(furniture, [other for _, other in scripts])
            chinese = _chinese(texts, masked, language)
            found = [[*before, *new] for before, new in zip(found, chinese, strict=True)]
        return [sorted(row, key=lambda entity: entity.start) for row in found]


def _masked(furniture: Sequence[list[Interval]], foreign: Sequence[list[Interval]]) -> list[list[Interval]]:
    return [merged([*first, *second]) for first, second in zip(furniture, foreign, strict=True)]


def _chinese(texts: Sequence[str], masked: Sequence[list[Interval]], language: str) -> list[list[Found]]:
    """Traditional characters are read as their simplified ones, one for one, so that offsets stay."""
    known = language in ("zh-hans", "zh-hant")
    if not (language == "zh-hant" if known else is_traditional(texts)):
        return extract_chinese(texts, masked, dictionary())
    found = extract_chinese([simplify(text) for text in texts], masked, dictionary())
    return restore(texts, found)


@cache
def dictionary() -> Dictionary:
    """jieba's words, about 60 MB, read once; the file is read directly because jieba would leave a cache in /tmp."""
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ConfigurationError("kg.no_dictionary")
    return build_dictionary(_rows(Path(spec.origin).with_name("dict.txt")))


def _rows(path: Path) -> Iterator[tuple[str, int, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            word, frequency, tag = line.split()
            yield word, int(frequency), intern(tag)
