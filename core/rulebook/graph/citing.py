"""Cites an answer about entities: each sentence gets the passage that mentions most of its entities."""

import re
from collections.abc import Callable, Iterator, Sequence

from core.graph.model import Entity
from core.platform.language.citation_markers import without_markers
from core.platform.language.sentences import before_closing_marks, introduces, sentence_spans

MOST_PASSAGES = 12
"""Limit of cited passages per answer."""
Find = Callable[[tuple[str, ...]], str]
"""(entity ids) -> id of the chunk that mentions most of them; "" if there is none."""


def cited(answer: str, entities: Sequence[Entity], topic: Sequence[Entity], find: Find) -> tuple[str, list[str]]:
    """The answer with [n] after supported sentences, and the ids of the cited chunks in order.

    entities: those named in the answer; topic: those named in the question.
    """
    order: list[str] = []
    lines = [_line(line, entities, topic, find, order) for line in without_markers(answer).splitlines()]
    return "\n".join(lines), order


def _line(line: str, entities: Sequence[Entity], topic: Sequence[Entity], find: Find, order: list[str]) -> str:
    written, at = [], 0
    for start, end in sentence_spans(line):
        written += [line[at:start], _sentence(line[start:end], entities, topic, find, order)]
        at = end
    return "".join([*written, line[at:]])


def _sentence(sentence: str, entities: Sequence[Entity], topic: Sequence[Entity], find: Find, order: list[str]) -> str:
    named = [entity for entity in entities if names(sentence, entity)]
    if not named or introduces(sentence):
        return sentence
    asked = topic if len(named) == 1 else ()
    chunk_id = find(tuple(dict.fromkeys(entity.id for entity in [*named, *asked])))
    if not chunk_id or (chunk_id not in order and len(order) >= MOST_PASSAGES):
        return sentence
    if chunk_id not in order:
        order.append(chunk_id)
    cut = before_closing_marks(sentence)
    return f"{sentence[:cut]} [{order.index(chunk_id) + 1}]{sentence[cut:]}"


def names(text: str, entity: Entity) -> bool:
    """Whether the text contains the entity's name or an alias as whole words."""
    return next(places(text, entity), None) is not None


def places(text: str, entity: Entity) -> Iterator[tuple[int, int]]:
    """(start, end) of the entity's name and aliases in the text, as whole words, whatever their case."""
    for name in (entity.name, *entity.aliases):
        if name.strip():
            word = re.escape(name)
            whole = rf"(?<![a-z0-9]){word}(?![a-z0-9])" if name.isascii() else word
            yield from (match.span() for match in re.finditer(whole, text, re.IGNORECASE))
