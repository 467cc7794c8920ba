"""The connection of entities, direct or through others, with the sentences that support it."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

from core.agents.state import Deps
from core.agents.tools.results.graph_answers import Numbered, bulleted, listed, statement
from core.graph.model import Entity
from core.graph.network.community_summary import sentences_of_both, sentences_of_each
from core.graph.network.cooccurrence import CO_OCCURS
from core.platform.texts import text
from core.rulebook.quotes import readable
from core.search.model import Passage

COUNTED = 200
"""Limit of counted shared passages; more are reported as more."""
READ = 40
"""Shared passages that are read for sentences."""
QUOTED = 3
"""Sentences about two entities that are mentioned together."""
MOST_STEPS = 2
"""Steps of a path; entities farther apart count as not connected."""
MOST_STATED = 3


@dataclass(frozen=True, slots=True)
class Connection:
    answer: str
    entities: tuple[Entity, ...]
    """All entities on the path."""
    is_direct: bool
    """Whether all neighbours share a passage or a stated relation."""


@dataclass(frozen=True, slots=True)
class ConnectionQuestion:
    """Scope of a question about connections."""

    base_id: str
    language: str
    documents: Collection[str] = ()
    """Ids of the documents in which the entities have to be mentioned; empty for all."""


@dataclass(frozen=True, slots=True)
class NoConnection:
    """Two entities without a connection, or only a long one."""

    one: Entity
    other: Entity


def graph_connection(
    deps: Deps, asked: ConnectionQuestion, ends: Sequence[Entity], numbered: Numbered
) -> Connection | NoConnection:
    """Connections between consecutive ends."""
    texts: dict[frozenset[str], str] = {}
    entities: dict[Entity, None] = dict.fromkeys(ends)
    direct = True
    for pair in pairwise(ends):
        if words := _direct(deps, asked, pair, numbered, QUOTED):
            texts.setdefault(_key(pair), words)
            continue
        direct = False
        way = [] if asked.documents else deps.graph.path(asked.base_id, [end.id for end in pair], False)[0]
        if not 2 < len(way) <= MOST_STEPS + 1 or not all(_is_said(deps, asked, step) for step in pairwise(way)):
            return NoConnection(*pair)
        entities.update(dict.fromkeys(way))
        texts[_key(pair)] = _through(asked, way)
        for step in pairwise(way):
            if _key(step) not in texts:
                texts[_key(step)] = _direct(deps, asked, step, numbered, 1)
    return Connection("\n\n".join(filter(None, texts.values())), tuple(entities), direct)


def text_connection(deps: Deps, asked: ConnectionQuestion, names: tuple[str, str], numbered: Numbered) -> str:
    """Sentences of the documents with both names, which need not be in the graph; empty if there are none."""
    hits = deps.retriever.chunks(asked.base_id, " ".join(names), READ, tuple(asked.documents))
    one, other = (Entity(f"name {name}", asked.base_id, name, "") for name in names)
    passages = deps.passages.get([hit.chunk_id for hit in hits])
    found = sentences_of_both(one, other, passages, QUOTED)
    if not found:
        return ""
    key = "answer.graph.said_one" if len(found) == 1 else "answer.graph.said_many"
    said = text(key, asked.language, one=readable(names[0]), other=readable(names[1]))
    return f"{said}\n\n{bulleted([numbered.quoted(line, passage) for line, passage in found])}"


def _key(pair: tuple[Entity, Entity]) -> frozenset[str]:
    return frozenset(entity.id for entity in pair)


def _through(asked: ConnectionQuestion, way: Sequence[Entity]) -> str:
    one, *between, other = (readable(entity.name) for entity in way)
    return text("answer.graph.through", asked.language, one=one, other=other, through=listed(between, asked.language))


def _direct(deps: Deps, asked: ConnectionQuestion, pair: tuple[Entity, Entity], numbered: Numbered, most: int) -> str:
    """Stated relations of the two and passages that mention both; empty if there is neither."""
    shared = _shared(deps, asked, pair)
    said = [] if asked.documents else _stated(deps, asked, pair)
    if shared:
        said.append(_together(asked, pair, shared, numbered, most))
    return "\n\n".join(said)


def _shared(deps: Deps, asked: ConnectionQuestion, pair: tuple[Entity, Entity]) -> list[Passage]:
    passages = deps.passages.get(deps.graph.shared_chunks(pair[0].id, pair[1].id, COUNTED))
    there = (each for each in passages if each.chunk.enabled)
    return [each for each in there if not asked.documents or each.chunk.document_id in asked.documents]


def _is_said(deps: Deps, asked: ConnectionQuestion, pair: tuple[Entity, Entity]) -> bool:
    """Whether a sentence or a stated relation supports a step of a path."""
    return bool(sentences_of_both(*pair, _shared(deps, asked, pair)[:READ], 1) or _stated(deps, asked, pair))


def _stated(deps: Deps, asked: ConnectionQuestion, pair: tuple[Entity, Entity]) -> list[str]:
    names = {entity.id: entity.name for entity in pair}
    found = [each for each in deps.graph.relations_between(list(names)) if each.relation != CO_OCCURS][:MOST_STATED]
    return [statement(each, names, asked.language) for each in found]


def _together(
    asked: ConnectionQuestion, pair: tuple[Entity, Entity], shared: Sequence[Passage], numbered: Numbered, most: int
) -> str:
    one, other = (readable(entity.name) for entity in pair)
    of_both = sentences_of_both(*pair, shared[:READ], most)
    quotes = of_both or sentences_of_each(pair, shared[:READ])
    counted = "more" if len(shared) >= COUNTED else "many" if len(shared) > 1 else "one"
    key = f"answer.graph.{'both' if of_both else 'near' if quotes else 'shared'}_{counted}"
    if not quotes:
        marks = "".join(map(numbered.mark, shared[:most]))
        return text(key, asked.language, one=one, other=other, count=len(shared), marks=marks)
    said = text(key, asked.language, one=one, other=other, count=len(shared))
    return f"{said}\n\n{bulleted([numbered.quoted(line, passage) for line, passage in quotes])}"
