"""Traditional Chinese characters as simplified ones, one for one, so that offsets stay the same."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache, lru_cache
from itertools import islice
from typing import Any

from core.graph.model import ExtractedName
from core.platform.language.detect import chinese_script
from core.platform.language.scripts import HAN_CHARACTER

_SAMPLE = 4000
_KEPT = frozenset("乾著於")
"""Characters that only sometimes have another simplified form, and are common in names as they are."""


def is_traditional(texts: Sequence[str]) -> bool:
    """Return whether the first few thousand Chinese characters are traditional."""
    characters = islice((match.group() for text in texts for match in HAN_CHARACTER.finditer(text)), _SAMPLE)
    return chinese_script("".join(characters)) == "zh-hant"


def simplify(text: str) -> str:
    """The text with as many characters as before."""
    return "".join(map(_simplify, text))


@lru_cache(maxsize=16384)
def _simplify(character: str) -> str:
    if character < "㐀" or "\ud800" <= character <= "\udfff" or character in _KEPT:
        return character
    converted = str(_converter().convert(character))
    return converted if len(converted) == 1 else character


@cache
def _converter() -> Any:
    from opencc import OpenCC

    return OpenCC("t2s")


def restore(texts: Sequence[str], found: Sequence[Sequence[ExtractedName]]) -> list[list[ExtractedName]]:
    """Entities found in simplified texts with the names as the original texts write them."""
    written = {
        entity.name: text[entity.start : entity.end] for text, row in zip(texts, found, strict=True) for entity in row
    }
    return [
        [
            replace(
                entity,
                name=text[entity.start : entity.end],
                aliases=tuple(written.get(alias, alias) for alias in entity.aliases),
            )
            for entity in row
        ]
        for text, row in zip(texts, found, strict=True)
    ]
