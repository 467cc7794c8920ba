"""Evidence for entities: the first mention, or what an imported file says; and citations of an answer about them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from itertools import islice

from core.agents.state import Deps
from core.graph.model import Entity, Mention
from core.graph.ports import KnowledgeGraph
from core.platform.language.answer_marks import without_markers
from core.platform.language.sentences import before_closing_marks, introduces, sentence_spans
from core.rulebook.quotes import citations_of
from core.search.model import Citation

MOST_ORDERED = 100
"""Limit for ordering entities of equal rank by first mention; more of them stay ordered by name."""
MOST_NAMED = 60
"""Limit of entities for which pages are looked up."""
MOST_PASSAGES = 12
"""Limit of cited passages per answer."""
Find = Callable[[tuple[str, ...]], str]
"""(entity ids) -> id of the chunk that mentions most of them; "" if there is none."""


def evidence(graph: KnowledgeGraph, entity: Entity, with_id: bool = False) -> str:
    """Confidence and 0-based page; question marks for an entity without mentions."""
    found = _first(graph, entity)
    if found is None:
        shown, id = "confidence=?, page=?", entity.id
    else:
        origin = found.origin
        confidence = (origin.alignment if origin else "") or f"{found.confidence:.2f}"
        page = origin.page if origin and origin.page >= 0 else found.page
        shown, id = f"confidence={confidence}, page={page}", origin.id if origin else entity.id
    return f"{shown}, id={id}" if with_id else shown


def in_file_order(graph: KnowledgeGraph, entities: Sequence[Entity]) -> list[Entity]:
    """Entities of an imported graph in the order of its file, then the others in the given order."""
    order = _file_order(graph, entities)
    return sorted(entities, key=lambda entity: order.get(entity.id, len(order)))


def first_entities(graph: KnowledgeGraph, base_id: str, limit: int) -> list[Entity]:
    """The first entities of an imported file, else the most mentioned."""
    order = graph.file_order(base_id)
    return [graph.entity(id) for id in islice(order, limit)] or graph.search(base_id, "", limit)


def ranked(
    graph: KnowledgeGraph, entities: Sequence[Entity], weight: Callable[[Entity], float], limit: int
) -> list[Entity]:
    """The heaviest first, ties in the order of an imported file, then by first mention; at most `limit`."""
    order = _file_order(graph, entities)

    def rank(entity: Entity) -> tuple[float, int]:
        return -weight(entity), order.get(entity.id, len(order))

    by_name = sorted(entities, key=lambda entity: (*rank(entity), entity.name, entity.id))
    last = rank(by_name[limit - 1]) if len(by_name) > limit else (float("inf"), 0)
    near = [entity for entity in by_name if rank(entity) <= last]
    if len(near) <= MOST_ORDERED:
        near.sort(key=lambda entity: (*rank(entity), *_place(graph, entity)))
    return near[:limit]


def _file_order(graph: KnowledgeGraph, entities: Sequence[Entity]) -> Mapping[str, int]:
    return graph.file_order(entities[0].base_id) if entities else {}


def _place(graph: KnowledgeGraph, entity: Entity) -> tuple[int, int, str]:
    found = _first(graph, entity)
    return (found.page, found.start, entity.name) if found else (0, 0, entity.name)


def _first(graph: KnowledgeGraph, entity: Entity) -> Mention | None:
    found = graph.mentions(entity.id, 1)
    return found[0].mention if found else None


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
