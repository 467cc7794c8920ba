"""Connections of the entities of a question: paths through the graph, with sentences of the documents."""

from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.agents.nodes.runtime import MAX_NAMES
from core.agents.state import Deps
from core.agents.tools.results.graph_answers import listed, statement
from core.graph.model import Entity
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.language.sentences import sentence_spans
from core.platform.texts import text

MOST_ENDS = 3
"""Entities of a question between which paths are searched."""
MOST_STEPS = 4
"""Steps of a path that are described by sentences."""
MOST_NEAR = 3
"""Neighbours of a single entity for which a common sentence is searched."""
PASSAGES = 3
LONGEST = 320
"""Characters of a sentence that is quoted."""


def graph_ways(deps: Deps, base_id: str, question: str, language: str) -> tuple[str, ...]:
    """A line for each connection; empty if the question names no entity."""
    ends = _ends(deps, base_id, question)
    if len(ends) > 1:
        return tuple(line for pair in pairwise(ends) for line in _way(deps, base_id, pair, language))
    return tuple(line for end in ends for line in _around(deps, end, language))


def _ends(deps: Deps, base_id: str, question: str) -> list[Entity]:
    """In the order of the question; a name inside a longer one does not count."""
    folded = question.casefold()
    found = deps.graph.named_in(base_id, question, MAX_NAMES)
    places = {entity.id: folded.find(entity.name.casefold()) for entity in found}
    whole = [
        entity
        for number, entity in enumerate(found)
        if not any(entity.name.casefold() in longer.name.casefold() for longer in found[:number])
    ]
    return sorted(whole, key=lambda entity: (places[entity.id] < 0, places[entity.id]))[:MOST_ENDS]


def _way(deps: Deps, base_id: str, ends: tuple[Entity, Entity], language: str) -> Iterator[str]:
    one, other = ends
    if deps.graph.shared_chunks(one.id, other.id, 1):
        yield _step(deps, ends, language)
        return
    way = deps.graph.path(base_id, [one.id, other.id], False)[0]
    if not way:
        yield text("answer.graph.no_way", language, one=one.name, other=other.name)
        return
    if len(way) > 2:
        through = listed([entity.name for entity in way[1:-1]], language)
        yield text("answer.graph.through", language, one=one.name, other=other.name, through=through)
    for step in list(pairwise(way))[:MOST_STEPS]:
        yield _step(deps, step, language)


def _step(deps: Deps, step: tuple[Entity, Entity], language: str) -> str:
    """A stated relation of the two, else a sentence that names both, else that they share a passage."""
    stated = [each for each in deps.graph.relations_between([one.id for one in step]) if each.relation != CO_OCCURS]
    if stated:
        return statement(stated[0], {entity.id: entity.name for entity in step}, language)
    one, other = (entity.name for entity in step)
    if sentences := _sentences(deps, step):
        quoted = text("answer.graph.between", language).join(sentences)
        key = "answer.graph.together_in" if len(sentences) == 1 else "answer.graph.together_near"
        return text(key, language, one=one, other=other, sentence=quoted)
    return text("answer.graph.together", language, one=one, other=other)


def _around(deps: Deps, entity: Entity, language: str) -> Iterator[str]:
    """Sentences that name the entity together with those nearest to it, each once."""
    found: dict[str, None] = {}
    for neighbour in deps.graph.neighbours(entity.id, 1, MOST_NEAR):
        sentences = _sentences(deps, (entity, neighbour.entity))
        if len(sentences) == 1:
            found[text("answer.graph.quoted", language, sentence=sentences[0])] = None
    yield from found


def _sentences(deps: Deps, pair: Sequence[Entity]) -> list[str]:
    """The first sentence of a shared passage that names both; else of one passage a sentence for each; else none."""
    apart: list[str] = []
    for passage in deps.passages.get(deps.graph.shared_chunks(pair[0].id, pair[1].id, PASSAGES)):
        words = passage.chunk.text
        said = [" ".join(words[start:end].split()) for start, end in sentence_spans(words)]
        short = [sentence for sentence in said if len(sentence) <= LONGEST]
        naming = [[sentence for sentence in short if entity.is_named_in(sentence)] for entity in pair]
        if both := [sentence for sentence in naming[0] if sentence in naming[1]]:
            return both[:1]
        apart = apart or [found[0] for found in naming if found]
    return apart if len(apart) == len(pair) else []
