"""Replaces names in a question by letters and a type by a general word, which leaves its form."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from core.graph.model import ENTITY_TYPES, Entity
from core.platform.language.terms import normal_form
from core.platform.texts import text
from core.rulebook.understanding.questions import strip_frames

LETTERS = ("X", "Y", "Z")
_LANGUAGES = ("en", "zh-hans")
"""Languages whose words for types are recognised; the normal form has simplified characters."""
_MANY, _ONE, _HAN = "things", "thing", "东西"
"""Words in place of a type."""
_EITHER = re.compile(" or |或")
"""Between two words for one type."""
_DOCUMENT = {True: "the document", False: "文档"}
"""Words in place of a document's name, in English and in Chinese."""


@dataclass(frozen=True, slots=True)
class Masked:
    question: str
    entities: tuple[Entity, ...] = ()
    """The entities that letters replace, X first."""
    type: str = ""


def masked_names(question: str, named: Sequence[Entity]) -> Masked | None:
    """Return the question with letters for its names; None unless it names two or three."""
    masked = _lettered(normal_form(strip_frames(question)), named)
    return masked if masked and len(masked.entities) > 1 else None


def masked_beside(question: str, named: Sequence[Entity], types: Sequence[str]) -> Masked | None:
    """Return the masked question; None unless it has one word for a type and names one thing."""
    of_type = masked_type(question, types, ())
    masked = _lettered(of_type.question, named) if of_type else None
    return replace(masked, type=of_type.type) if of_type and masked and len(masked.entities) == 1 else None


def _lettered(plain: str, named: Sequence[Entity]) -> Masked | None:
    """Return the question with letters for names; None if there are more names than letters.

    Longer names win over those that they contain, and of several entities of one name the first.
    """
    found = [(start, end, entity) for entity in named for start, end in _plain(entity).spans_in(plain)]
    spans: dict[tuple[int, int], Entity] = {}
    for start, end, entity in sorted(found, key=lambda each: each[0] - each[1]):
        if all(end <= other_start or start >= other_end for other_start, other_end in spans):
            spans[start, end] = entity
    entities = tuple(dict.fromkeys(spans[span] for span in sorted(spans)))
    if len(entities) > len(LETTERS):
        return None
    for (start, end), entity in sorted(spans.items(), key=lambda each: each[0], reverse=True):
        plain = f"{plain[:start]}{LETTERS[entities.index(entity)]}{plain[end:]}"
    return Masked(plain, entities)


def _plain(entity: Entity) -> Entity:
    return replace(entity, name=normal_form(entity.name), aliases=tuple(map(normal_form, entity.aliases)))


def masked_type(question: str, types: Sequence[str], documents: Sequence[str]) -> Masked | None:
    """Return the question with its type masked; None unless it has exactly one word for one of the types.

    documents: names that may stand in the question.
    """
    plain = normal_form(strip_frames(question))
    for name in sorted(map(normal_form, documents), key=len, reverse=True):
        if name:
            plain = re.sub(re.escape(name), _DOCUMENT[plain.isascii()], plain, flags=re.IGNORECASE)
    words, spelt = _words_for(tuple(types))
    found = list(spelt.finditer(plain)) if words else []
    if len(found) != 1:
        return None
    start, end = found[0].span()
    word = found[0].group().casefold()
    general = (_ONE if word in words and words[word][1] else _MANY) if word.isascii() else _HAN
    of_type = words.get(word) or words[next(each for each in words if re.fullmatch(_pattern(each), word))]
    return Masked(f"{plain[:start]}{general}{plain[end:]}", type=of_type[0])


@lru_cache(maxsize=64)
def _words_for(types: tuple[str, ...]) -> tuple[Mapping[str, tuple[str, bool]], re.Pattern[str]]:
    """Return the words for the types in lower case, each with its type and whether it is singular, and a pattern."""
    words: dict[str, tuple[str, bool]] = {}
    for type in types:
        words[type.replace("_", " ").casefold()] = (type, True)
        if type in ENTITY_TYPES:
            for language in _LANGUAGES:
                for key, is_one in ((f"graph.type.{type}", True), (f"answer.graph.kind.{type}", False)):
                    for word in _EITHER.split(normal_form(text(key, language)).casefold()):
                        words[word] = (type, is_one)
    spelt = "|".join(_pattern(word) for word in sorted(words, key=len, reverse=True))
    return words, re.compile(spelt, re.IGNORECASE)


def _pattern(word: str) -> str:
    """Return a pattern for the word; English words whole, with the plural."""
    return rf"(?<![a-z0-9]){re.escape(word)}(?:s|es)?(?![a-z0-9])" if word.isascii() else re.escape(word)
