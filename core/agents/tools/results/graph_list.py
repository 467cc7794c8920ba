"""Entities of a type, of a knowledge base or near a named entity, each with a passage that mentions it."""

from collections.abc import Collection
from dataclasses import dataclass

from core.agents.state import Deps
from core.agents.tools.results.graph_answers import Numbered, bulleted, counted_kind_word, kind_word
from core.documents.model import DocumentFilter, DocumentStatus
from core.graph.model import Entity, MentionFilter
from core.platform.texts import text
from core.rulebook.quotes import readable

SHOWN = 12
"""Limit of entities in the list."""
COUNTED = 1_000
"""Most passages counted for an entity."""
WEIGHED = 60
"""Entities of some documents among which those in most passages are selected."""
READ = 1_000
"""Strongest neighbours among which those of the type are selected."""


@dataclass(frozen=True, slots=True)
class EntityListing:
    answer: str
    entities: tuple[Entity, ...]


@dataclass(frozen=True, slots=True)
class ListLine:
    entity: Entity
    counted: str
    """Catalogue key of how often it is mentioned."""
    count: int
    chunk_ids: list[str]
    """Of the passage that is cited."""


@dataclass(frozen=True, slots=True)
class Counted:
    """Entities of a type: how many there are, and those shown."""

    type: str
    count: int
    shown: list[ListLine]


def graph_list(
    deps: Deps, base_id: str, type: str, documents: Collection[str], language: str, numbered: Numbered
) -> EntityListing | None:
    """documents: ids of those whose entities are listed; empty for all. None where there are none of the type."""
    counted = _of_documents(deps, base_id, type, documents) if documents else _of_base(deps, base_id, type)
    where = _where(deps, base_id, documents, language)
    return listed(deps, "list", counted, language, numbered, where=where)


def listed(
    deps: Deps, key: str, counted: Counted, language: str, numbered: Numbered, **words: str
) -> EntityListing | None:
    """key: part of the catalogue keys of the texts, with words as placeholders. None if nothing is shown."""
    type, count, found = counted.type, counted.count, counted.shown
    if not found:
        return None
    how_many = "one" if count == 1 else "all" if count == len(found) else "some"
    kind = counted_kind_word(type, language, count)
    said = text(f"answer.graph.{key}_{how_many}", language, **words, kind=kind, count=count, shown=len(found))
    lines = bulleted([_line(deps, line, language, numbered) for line in found])
    answer = f"{said}\n\n{lines}\n\n{text(f'answer.graph.{key}_found', language)}"
    return EntityListing(answer, tuple(line.entity for line in found))


def none_listed(deps: Deps, base_id: str, type: str, documents: Collection[str], language: str) -> str:
    where = _where(deps, base_id, documents, language)
    return text("answer.graph.list_none", language, where=where, kind=kind_word(type, language))


def _of_base(deps: Deps, base_id: str, type: str) -> Counted:
    """The most mentioned entities of the type."""
    count = dict(deps.graph.stats(base_id).types).get(type, 0)
    found = deps.graph.search(base_id, "", SHOWN, type) if count else []
    return Counted(type, count, [ListLine(each, "times", each.mentions, _chunks(deps, each, 1)) for each in found])


def _of_documents(deps: Deps, base_id: str, type: str, documents: Collection[str]) -> Counted:
    ids = set().union(*(deps.graph.mentioned(base_id, MentionFilter(document=each)) for each in documents))
    there = [entity for entity in deps.graph.every(base_id) if entity.type == type and entity.id in ids]
    inside = {chunk.id for each in documents for chunk in deps.passages.chunks(each) if chunk.enabled}
    held = {each: [id for id in _chunks(deps, each, COUNTED) if id in inside] for each in there[:WEIGHED]}
    ordered = sorted(held, key=lambda each: -len(held[each]))[:SHOWN]
    lines = [ListLine(each, "passages", len(held[each]), held[each][:1]) for each in ordered]
    return Counted(type, len(there), lines)


def _chunks(deps: Deps, entity: Entity, limit: int) -> list[str]:
    return [chunk_id for chunk_id, _ in deps.graph.chunks_of([entity.id], limit)]


def _line(deps: Deps, line: ListLine, language: str, numbered: Numbered) -> str:
    key = f"answer.graph.listed_{line.counted}_{'one' if line.count == 1 else 'many'}"
    said = text(key, language, name=readable(line.entity.name), count=line.count)
    return " ".join([said, *map(numbered.mark, deps.passages.get(line.chunk_ids))])


def _where(deps: Deps, base_id: str, documents: Collection[str], language: str) -> str:
    """One document by its name, several by their number."""
    ready = DocumentFilter((DocumentStatus.READY,))
    named = [deps.documents.get(each) for each in documents] or deps.documents.find(base_id, ready, limit=2)
    if len(named) == 1:
        return text("answer.graph.where_one", language, name=named[0].name)
    count = len(documents) or deps.documents.counts(base_id, ready).get(DocumentStatus.READY, 0)
    return text("answer.graph.where_many", language, count=count)


def graph_beside(deps: Deps, one: Entity, type: str, language: str, numbered: Numbered) -> EntityListing | None:
    """Entities of the type mentioned together with the entity, most shared passages first; None if there are none."""
    near = [each.entity for each in deps.graph.neighbours(one.id, 1, READ) if each.entity.type == type]
    shared = {each: deps.graph.shared_chunks(one.id, each.id, COUNTED) for each in near[:WEIGHED]}
    shown = sorted((each for each in shared if shared[each]), key=lambda each: -len(shared[each]))[:SHOWN]
    lines = [ListLine(each, "passages", len(shared[each]), shared[each][:1]) for each in shown]
    return listed(deps, "beside", Counted(type, len(near), lines), language, numbered, name=readable(one.name))
