"""Entity extraction by rules for English and Chinese, with jieba's dictionary of Chinese words. Needs no model."""

from collections.abc import Iterator, Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from sys import intern

from core.documents.ports.extraction import Extraction, ExtractionRequest
from core.graph.model import ExtractedName
from core.models.ports import BUILT_IN, Embedder
from core.platform.errors import ConfigurationError
from core.rulebook.entities.boilerplate import Interval, masks, merged
from core.rulebook.entities.chinese.extractor import extract_chinese
from core.rulebook.entities.chinese.segmentation import Dictionary, build_dictionary
from core.rulebook.entities.chinese.traditional import is_traditional, restore, simplify
from core.rulebook.entities.english.extractor import extract_english
from core.rulebook.entities.meanings import Meanings
from core.rulebook.entities.scripts import split_by_script


class BuiltinExtractor:
    """DocumentExtractor. It needs whole documents, because their statistics decide what is a name or a term."""

    engine = BUILT_IN

    def __init__(self, embedder: Embedder | None = None) -> None:
        """embedder: to find types by the meaning of names; None to do without."""
        self._meanings = None if embedder is None else Meanings(embedder)

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        return Extraction(tuple(map(tuple, self.extract(order.texts, order.language))))

    def extract(self, texts: Sequence[str], language: str) -> list[list[ExtractedName]]:
        """For each text, its entities in order and without overlaps; text[start:end] is the surface form."""
        furniture = masks(texts)
        scripts = [split_by_script(text) for text in texts]
        found: list[list[ExtractedName]] = [[] for _ in texts]
        if any(other for _, other in scripts):
            masked = _masked(furniture, [chinese for chinese, _ in scripts])
            english = extract_english(texts, masked, self._meanings)
            found = [[*before, *new] for before, new in zip(found, english, strict=True)]
        if any(chinese for chinese, _ in scripts):
            masked = _masked(furniture, [other for _, other in scripts])
            chinese = _chinese(texts, masked, language, self._meanings)
            found = [[*before, *new] for before, new in zip(found, chinese, strict=True)]
        return [sorted(row, key=lambda entity: entity.start) for row in found]


def _masked(furniture: Sequence[list[Interval]], foreign: Sequence[list[Interval]]) -> list[list[Interval]]:
    return [merged([*first, *second]) for first, second in zip(furniture, foreign, strict=True)]


def _chinese(
    texts: Sequence[str], masked: Sequence[list[Interval]], language: str, meanings: Meanings | None
) -> list[list[ExtractedName]]:
    """Traditional characters are mapped one to one to simplified ones, so offsets do not change."""
    known = language in ("zh-hans", "zh-hant")
    if not (language == "zh-hant" if known else is_traditional(texts)):
        return extract_chinese(texts, masked, dictionary(), meanings)
    found = extract_chinese([simplify(text) for text in texts], masked, dictionary(), meanings)
    return restore(texts, found)


@cache
def dictionary() -> Dictionary:
    """jieba's dictionary, about 60 MB, read once.

    Reading the file directly avoids the cache that jieba leaves in /tmp.
    """
    spec = find_spec("jieba")
    if spec is None or spec.origin is None:
        raise ConfigurationError("kg.no_dictionary")
    return build_dictionary(_rows(Path(spec.origin).with_name("dict.txt")))


def _rows(path: Path) -> Iterator[tuple[str, int, str]]:
    with path.open(encoding="utf-8") as file:
        for line in file:
            word, frequency, tag = line.split()
            yield word, int(frequency), intern(tag)
