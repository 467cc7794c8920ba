"""Finds entities by id, by part of their name, and by names occurring in a text."""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from sqlalchemy import Connection, bindparam, select

from core.graph.model import Entity
from core.graph.names.name_meanings import MOST_NAMES
from core.platform.language.scripts import UNSPACED
from core.platform.sql.columns import NORM_LENGTH, name_key, normalized
from core.platform.sql.engine import ASKED, rows_of
from core.platform.sql.schema import entities, entity_names

MOST_WORDS = 6
MOST_SIGNS = 12
"""Limit of a name that is searched in a text, in words, or in characters for scripts without spaces."""
ROWS = 5_000
"""Names read at a time."""
TEXT_LENGTH = 2_000
"""Characters of a text searched for names."""

_UNIT = re.compile(rf"(?P<sign>[{UNSPACED}])|(?:(?<!\w)\.)?[^\W{UNSPACED}]+[+#]*")
"""A character of a script without spaces, or a word; C++, C# and .NET are words."""
_TAILS = (".", ")", "!")
"""Signs that may end a name: U.S., Yahoo!"""
_BY_ID = select(entities).where(entities.c.id.in_(ASKED))
_EVERY_ALIAS = (
    select(entity_names.c.entity_id, entity_names.c.norm, entity_names.c.name)
    .distinct()
    .where(entity_names.c.position > 0)
)
_ALIASES = _EVERY_ALIAS.where(entity_names.c.entity_id.in_(ASKED))
_ALL_ALIASES = _EVERY_ALIAS.where(entity_names.c.base_id == bindparam("base"))
USUAL = (entities.c.mentions.desc(), entities.c.name, entities.c.id)
_ALL = (
    select(entities.c.id, entities.c.name, entities.c.type, entities.c.mentions, entities.c.documents)
    .where(entities.c.base_id == bindparam("base"))
    .order_by(*USUAL)
)
_NORMS = select(entity_names.c.entity_id, entity_names.c.norm).where(entity_names.c.base_id == bindparam("base"))
_BEARERS = (
    select(entity_names.c.norm, entities.c.id)
    .join(entities, entities.c.id == entity_names.c.entity_id)
    .where(entity_names.c.base_id == bindparam("base"), entity_names.c.norm.in_(ASKED))
    .group_by(entity_names.c.norm, entities.c.id, entities.c.mentions)
    .order_by(entities.c.mentions.desc(), entities.c.id)
)
"""Statements used by every question are built once, because building one takes longer than running it."""


def load(connection: Connection, entity_ids: Sequence[str]) -> list[Entity]:
    """Entities in the given order; unknown ids are skipped."""
    asked = dict.fromkeys(entity_ids)
    aliases = _aliases(connection, asked)
    found = {
        id: Entity(id, base_id, name, type, _others(name, aliases.get(id)), mentioned, number)
        for id, base_id, name, type, mentioned, number in rows_of(connection, _BY_ID, asked)
    }
    return [found[entity_id] for entity_id in entity_ids if entity_id in found]


def load_all(connection: Connection, base_id: str, limit: int | None = None) -> list[Entity]:
    """All entities, the most mentioned first."""
    aliases: dict[str, dict[str, str]] = {}
    for entity_id, normal, name in connection.execute(_ALL_ALIASES, {"base": base_id}).yield_per(ROWS):
        _add_alias(aliases, entity_id, normal, name)
    found = []
    for id, name, type, mentioned, number in connection.execute(_ALL.limit(limit), {"base": base_id}).yield_per(ROWS):
        found.append(Entity(id, base_id, name, type, _others(name, aliases.pop(id, None)), mentioned, number))
    return found


def existing(connection: Connection, base_id: str, entity_ids: Sequence[str]) -> list[str]:
    """Ids that exist in the base, each once, in the given order."""
    statement = select(entities.c.id).where(entities.c.base_id == base_id, entities.c.id.in_(ASKED))
    found = {id for (id,) in rows_of(connection, statement, entity_ids)}
    return [entity_id for entity_id in dict.fromkeys(entity_ids) if entity_id in found]


def wanted(query: str) -> str:
    """The part of a name that the query must match; empty if any."""
    return normalized(query)[:NORM_LENGTH]


def most_mentioned(connection: Connection, base_id: str, type: str, limit: int) -> list[str]:
    statement = select(entities.c.id).where(entities.c.base_id == base_id).order_by(*USUAL).limit(limit)
    if type:
        statement = statement.where(entities.c.type == type)
    return list(connection.execute(statement).scalars())


def read_norms(connection: Connection, base_id: str) -> dict[str, tuple[str, ...]]:
    """The normalised names of every entity."""
    norms: dict[str, tuple[str, ...]] = {}
    for id, name in connection.execute(_NORMS, {"base": base_id}).tuples().yield_per(ROWS):
        known = norms.get(id, ())
        norms[id] = known if name in known else (*known, name)
    return norms


def read_shown_names(connection: Connection, base_id: str) -> list[tuple[str, str]]:
    """(id, name as it is displayed) of the most mentioned."""
    statement = select(entities.c.id, entities.c.name).where(entities.c.base_id == base_id)
    return list(connection.execute(statement.order_by(*USUAL).limit(MOST_NAMES)).tuples())


def named_in(
    connection: Connection, base_id: str, text: str, given: Mapping[str, Sequence[str]] | None = None
) -> list[str]:
    """Ids of the entities named in the text, longest name first; names do not overlap.

    given: entities by normalised names that no document gives them.
    """
    normal = normalized(text[:TEXT_LENGTH])
    spans: dict[str, list[tuple[int, int]]] = {}
    for start, end in candidates(normal):
        spans.setdefault(normal[start:end], []).append((start, end))
    bearers = _bearers(connection, base_id, list(spans), given or {})
    named = _without_overlaps(span for name in bearers for span in spans[name])
    return list(dict.fromkeys(id for start, end in named for id in bearers[normal[start:end]]))


def candidates(normal: str) -> Iterator[tuple[int, int]]:
    """Stretches of a normalised text that may be names: whole words, or characters of scripts without spaces."""
    units = list(_UNIT.finditer(normal))
    for first in range(len(units)):
        words = signs = 0
        start = units[first].start()
        for unit in units[first : first + MOST_WORDS + MOST_SIGNS]:
            signs += unit["sign"] is not None
            words += unit["sign"] is None
            if words > MOST_WORDS or signs > MOST_SIGNS:
                break
            if unit.end() - start > 1:
                yield start, unit.end()
            if normal.startswith(_TAILS, unit.end()):
                yield start, unit.end() + 1


def _without_overlaps(spans: Iterator[tuple[int, int]]) -> list[tuple[int, int]]:
    """Longest first, then from the left."""
    taken: list[tuple[int, int]] = []
    for start, end in sorted(spans, key=lambda span: (span[0] - span[1], span[0])):
        if all(end <= other_start or start >= other_end for other_start, other_end in taken):
            taken.append((start, end))
    return taken


def _bearers(
    connection: Connection, base_id: str, norms: Sequence[str], given: Mapping[str, Sequence[str]]
) -> Mapping[str, list[str]]:
    """Entities by their names and aliases, most mentioned first."""
    found = {name: list(given[name]) for name in norms if name in given}
    for name, entity_id in rows_of(connection, _BEARERS, norms, base=base_id):
        found.setdefault(name, []).append(entity_id)
    return found


def _aliases(connection: Connection, entity_ids: Collection[str]) -> dict[str, dict[str, str]]:
    """Unique by entity and normal form, so that equivalent spellings appear once."""
    found: dict[str, dict[str, str]] = {}
    for entity_id, normal, name in rows_of(connection, _ALIASES, entity_ids):
        _add_alias(found, entity_id, normal, name)
    return found


def _others(name: str, spellings: dict[str, str] | None) -> tuple[str, ...]:
    """Aliases of the entity of this name, in order."""
    if not spellings:
        return ()
    spellings.pop(name_key(name), None)
    return tuple(sorted(spellings.values()))


def _add_alias(found: dict[str, dict[str, str]], entity_id: str, normal: str, name: str) -> None:
    spellings = found.setdefault(entity_id, {})
    spellings[normal] = min(name, spellings.get(normal, name))
