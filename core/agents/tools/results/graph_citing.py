"""Cites an answer about entities by the passages that mention those of each sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from core.agents.state import Deps
from core.graph.model import Entity
from core.platform.language.answer_marks import without_markers
from core.platform.language.sentences import before_closing_marks, introduces, sentence_spans
from core.rulebook.quotes import citations_of
from core.search.model import Citation

MOST_NAMED = 60
"""Limit of entities for which pages are looked up."""
MOST_PASSAGES = 12
"""Limit of cited passages per answer."""
Find = Callable[[tuple[str, ...]], str]
"""(entity ids) -> id of the chunk that mentions most of them; "" if there is none."""


def with_citations(
    deps: Deps, base_id: str, answer: str, topic: Sequence[Entity] = ()
) -> tuple[str, tuple[Citation, ...]]:
    """topic: entities of the question, which count in a sentence that names one other."""

    @cache
    def find(entity_ids: tuple[str, ...]) -> str:
        best = deps.graph.chunks_of(entity_ids, 1)
        return best[0][0] if best else ""

    marked, order = _cited(answer, deps.graph.named_in(base_id, answer, MOST_NAMED), topic, find)
    by_id = {passage.chunk.id: passage for passage in deps.passages.get(order)}
    if len(by_id) < len(order):
        return answer, ()
    return marked, citations_of(marked, [by_id[chunk_id] for chunk_id in order])


def _cited(answer: str, entities: Sequence[Entity], topic: Sequence[Entity], find: Find) -> tuple[str, list[str]]:
    """Return the answer with [n] after supported sentences, and the ids of the cited chunks in order.

    entities: those named in the answer; topic: those named in the question.
    """
    order: list[str] = []

    def with_marker(sentence: str) -> str:
        named = [entity for entity in entities if entity.is_named_in(sentence)]
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

    lines = ["".join(_with_markers(line, with_marker)) for line in without_markers(answer).splitlines()]
    return "\n".join(lines), order


def _with_markers(line: str, with_marker: Callable[[str], str]) -> Iterator[str]:
    at = 0
    for start, end in sentence_spans(line):
        yield line[at:start]
        yield with_marker(line[start:end])
        at = end
    yield line[at:]
