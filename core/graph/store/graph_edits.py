"""The append-only log of graph edits in SQL."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from sqlalchemy import Connection, Engine, RowMapping, func, insert, select, update

from core.documents.store import publishing
from core.documents.store.rows import Read
from core.graph.edits import (
    EditedEntity,
    EditKind,
    EventKind,
    GraphEdit,
    GraphEvent,
    LoggedEdit,
    Resolution,
)
from core.graph.model import Entity
from core.graph.resolution.resolution import NOTHING, resolve
from core.graph.store import entity_lookup, graph_events
from core.platform.clock import Clock, utc_now
from core.platform.identity import acting_name
from core.platform.sql.columns import name_key
from core.platform.sql.engine import ASKED, all_rows, batches, reading, rows_of, writing
from core.platform.sql.schema import documents, entities, entity_names, graph_edits
from core.platform.sql.versioned_cache import OF_GRAPH, VersionedCache

_IN_ORDER = (graph_edits.c.position,)
_BASES = select(graph_edits.c.base_id).where(graph_edits.c.undone == 0).distinct()
"""Built once, because every question needs it: building a statement takes longer than running it."""
_UNDONE_ELSEWHERE = 1
"""Of edits that came undone, nobody knows in which order; what is undone here is so by a later version."""


def add_to_log(connection: Connection, base_id: str, logged: Sequence[LoggedEdit]) -> list[int]:
    """Within a transaction that has the base to itself. Returns their numbers, which on Postgres may have gaps."""
    first = _next_position(connection)
    batches_of = {each.batch: first + place for place, each in reversed(list(enumerate(logged)))}
    for each in logged:
        _insert(connection, base_id, replace(each, batch=batches_of[each.batch]))
    publishing.raise_graph_version(connection, base_id)
    inserted = select(graph_edits.c.position).where(graph_edits.c.base_id == base_id, graph_edits.c.position >= first)
    return list(connection.execute(inserted.order_by(*_IN_ORDER)).scalars())


class SqlGraphEdits:
    def __init__(self, engine: Engine, clock: Clock = utc_now) -> None:
        self.engine = engine
        self.clock = clock
        self._resolutions = VersionedCache(read_resolution, OF_GRAPH)

    def record(self, base_id: str, edits: Sequence[GraphEdit]) -> int:
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            batch, found = _next_position(connection), _as_found(connection, edits)
            now = self.clock()
            for number, edit in enumerate(edits, start=batch):
                named = tuple(found.get(entity.id, entity) for entity in edit.entities)
                made = LoggedEdit(number, batch, now, replace(edit, entities=named), actor=acting_name())
                _insert(connection, base_id, made)
            publishing.raise_graph_version(connection, base_id)
        return batch

    def add_log(self, base_id: str, logged: Sequence[LoggedEdit]) -> None:
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            numbers = add_to_log(connection, base_id, logged)
            graph_events.note(connection, base_id, EventKind.ADDED, numbers, self.clock())

    def log(self, base_id: str, limit: int) -> list[LoggedEdit]:
        newest = select(graph_edits).where(graph_edits.c.base_id == base_id).order_by(graph_edits.c.position.desc())
        return [to_logged(row) for row in all_rows(self.engine, newest.limit(limit))]

    def events(self, base_id: str) -> list[GraphEvent]:
        with reading(self.engine) as connection:
            return graph_events.read(connection, base_id)

    def set_undone(self, base_id: str, numbers: Sequence[int], undone: bool) -> None:
        with writing(self.engine) as connection:
            publishing.lock_base(connection, base_id)
            version, now = publishing.raise_graph_version(connection, base_id), self.clock()
            for batch in batches(list(numbers)):
                these = (graph_edits.c.base_id == base_id) & graph_edits.c.position.in_(batch)
                changed = these & ((graph_edits.c.undone == 0) if undone else (graph_edits.c.undone > 0))
                turned = connection.execute(select(graph_edits.c.position).where(changed)).scalars().all()
                connection.execute(update(graph_edits).where(changed).values(undone=version if undone else 0))
                kind = EventKind.UNDONE if undone else EventKind.REDONE
                graph_events.note(connection, base_id, kind, turned, now)

    def next_undo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        last = select(func.max(graph_edits.c.batch)).where(graph_edits.c.base_id == base_id, graph_edits.c.undone == 0)
        return self._together(base_id, graph_edits.c.batch == last.scalar_subquery(), undone=False)

    def next_redo(self, base_id: str) -> tuple[LoggedEdit, ...]:
        undone, of_base = graph_edits.c.undone, graph_edits.c.base_id == base_id
        last = select(func.max(undone)).where(of_base, undone > 0).scalar_subquery()
        newest = select(func.max(graph_edits.c.batch)).where(of_base, undone == _UNDONE_ELSEWHERE).scalar_subquery()
        together = (undone > _UNDONE_ELSEWHERE) | (graph_edits.c.batch == newest)
        return self._together(base_id, (undone == last) & together, undone=True)

    def resolution(self, base_id: str) -> Resolution:
        with reading(self.engine) as connection:
            return self._resolutions.of(connection, base_id)

    def parts(self, base_id: str, entity_id: str) -> list[Entity]:
        with reading(self.engine) as connection:
            _, *others = self._resolutions.of(connection, base_id).members(entity_id)
            return entity_lookup.load(connection, others)

    def _together(self, base_id: str, condition: Any, undone: bool) -> tuple[LoggedEdit, ...]:
        state = graph_edits.c.undone > 0 if undone else graph_edits.c.undone == 0
        statement = select(graph_edits).where(graph_edits.c.base_id == base_id, state, condition).order_by(*_IN_ORDER)
        return tuple(to_logged(row) for row in all_rows(self.engine, statement))


def edited_bases(connection: Connection) -> list[str]:
    """Bases with edits in force."""
    return list(connection.execute(_BASES).scalars())


def read_resolution(connection: Connection, base_id: str) -> Resolution:
    """The edits in force; entities whose ids changed because documents were read again are found by name."""
    in_force = select(graph_edits).where(graph_edits.c.base_id == base_id, graph_edits.c.undone == 0)
    edits = [to_edit(row) for row in connection.execute(in_force.order_by(*_IN_ORDER)).mappings()]
    if not edits:
        return NOTHING
    named = {entity.id: entity for edit in edits for entity in edit.entities}
    existing = set(entity_lookup.existing(connection, base_id, list(named)))
    stand_ins = _stand_ins(connection, base_id, [entity for id, entity in named.items() if id not in existing])
    edits = _on_present_pages(connection, base_id, [_moved(edit, stand_ins) for edit in edits])
    return resolve(edits, existing | set(stand_ins.values()))


def to_payload(edit: GraphEdit) -> dict[str, Any]:
    """Everything but the kind; empty values are left out."""
    rows = [[each.id, each.name, each.type, each.found_name, each.found_type] for each in edit.entities]
    rest = {"text": edit.text, "chunk": edit.chunk_id, "pages": [list(page) for page in edit.pages]}
    return {"entities": rows, **{name: value for name, value in rest.items() if value}}


def to_edit(row: Read) -> GraphEdit:
    payload = row["payload"]
    return GraphEdit(
        EditKind(row["kind"]),
        tuple(EditedEntity(*each) for each in payload["entities"]),
        payload.get("text", ""),
        payload.get("chunk", ""),
        tuple((document_id, page) for document_id, page in payload.get("pages", ())),
    )


def to_logged(row: RowMapping) -> LoggedEdit:
    return LoggedEdit(row["position"], row["batch"], row["made_at"], to_edit(row), row["undone"] > 0, row["actor"])


def _next_position(connection: Connection) -> int:
    last: int = connection.execute(select(func.coalesce(func.max(graph_edits.c.position), 0))).scalar_one()
    return last + 1


def _insert(connection: Connection, base_id: str, logged: LoggedEdit) -> None:
    undone = _UNDONE_ELSEWHERE if logged.undone else 0
    values = {"batch": logged.batch, "made_at": logged.made_at, "kind": logged.edit.kind, "undone": undone}
    named = {"base_id": base_id, "payload": to_payload(logged.edit), "actor": logged.actor}
    connection.execute(insert(graph_edits).values(**named, **values))


def _as_found(connection: Connection, edits: Sequence[GraphEdit]) -> dict[str, EditedEntity]:
    """The entities of the edits with the names and types that documents give them."""
    named = {entity.id: entity for edit in edits for entity in edit.entities}
    statement = select(entities.c.id, entities.c.name, entities.c.type).where(entities.c.id.in_(ASKED))
    return {
        id: replace(named[id], found_name=name, found_type=type)
        for id, name, type in rows_of(connection, statement, named)
    }


def _stand_ins(connection: Connection, base_id: str, missing: Sequence[EditedEntity]) -> dict[str, str]:
    """Replacements of missing entities: the only one with the same name, if there is just one."""
    keys = {entity.id: name_key(entity.found_name or entity.name) for entity in missing}
    bearers: dict[str, set[str]] = {}
    statement = select(entity_names.c.norm, entity_names.c.entity_id).where(
        entity_names.c.base_id == base_id, entity_names.c.norm.in_(ASKED), entity_names.c.position == 0
    )
    for norm, entity_id in rows_of(connection, statement, set(keys.values())):
        bearers.setdefault(norm, set()).add(entity_id)
    return {id: next(iter(found)) for id, key in keys.items() if len(found := bearers.get(key, set())) == 1}


def _moved(edit: GraphEdit, stand_ins: dict[str, str]) -> GraphEdit:
    if not any(entity.id in stand_ins for entity in edit.entities):
        return edit
    return replace(edit, entities=tuple(replace(each, id=stand_ins.get(each.id, each.id)) for each in edit.entities))


def _on_present_pages(connection: Connection, base_id: str, edits: Sequence[GraphEdit]) -> list[GraphEdit]:
    """The edits without pages of documents that were deleted or replaced since."""
    named = {document_id for edit in edits for document_id, _ in edit.pages}
    present = select(documents.c.id).where(documents.c.base_id == base_id, documents.c.id.in_(ASKED))
    there = {id for (id,) in rows_of(connection, present, named)}
    if named == there:
        return list(edits)
    return [replace(edit, pages=tuple(page for page in edit.pages if page[0] in there)) for edit in edits]
