"""Which rows a person sees and changes: one rule for every table, and none means that no row is seen."""

from typing import Any

from sqlalchemy import ColumnElement, FromClause, Table, bindparam, exists, or_, select, union_all

from core.platform.errors import ForbiddenError
from core.platform.identity import Role, acting
from core.platform.sql.conversation_tables import (
    arena_votes,
    evaluation_cases,
    evaluation_results,
    evaluations,
    feedback,
    memories,
    memory_changes,
    memory_uses,
    preferences,
    question_lists,
    question_vectors,
    run_events,
    runs,
    threads,
)
from core.platform.sql.installation_tables import (
    api_keys,
    api_sessions,
    base_shares,
    index_changes,
    memberships,
    submitted_documents,
)
from core.platform.sql.schema import (
    blocks,
    chunks,
    documents,
    entities,
    entity_names,
    entry_vectors,
    graph_edits,
    graph_events,
    incidences,
    knowledge_bases,
    mentions,
    relations,
    stages,
    summaries,
)

OWNED = frozenset({api_keys, memories, preferences, question_lists, threads})
"""Tables of which only the owner sees and changes rows."""
OF_BASES = {
    knowledge_bases: "id",
    documents: "base_id",
    entities: "base_id",
    entity_names: "base_id",
    graph_edits: "base_id",
    graph_events: "base_id",
    index_changes: "base_id",
}
"""Tables in which roles in the base decide, with the column that names the base."""
PARTS: dict[Table, tuple[str, Table]] = {
    api_sessions: ("key_id", api_keys),
    runs: ("thread_id", threads),
    arena_votes: ("thread_id", threads),
    run_events: ("run_id", runs),
    feedback: ("run_id", runs),
    question_vectors: ("run_id", runs),
    memory_changes: ("memory_id", memories),
    memory_uses: ("memory_id", memories),
    evaluation_cases: ("list_id", question_lists),
    evaluations: ("list_id", question_lists),
    evaluation_results: ("evaluation_id", evaluations),
    **dict.fromkeys(
        (blocks, chunks, summaries, entry_vectors, mentions, incidences, relations, stages, submitted_documents),
        ("document_id", documents),
    ),
}
"""Tables with the rule of another one, and the column that refers to it."""


def is_of_bases(table: Table) -> bool:
    """Whether roles decide: then a row may be seen and not changed."""
    while table in PARTS:
        table = PARTS[table][1]
    return table in OF_BASES


def allowed(rows: FromClause, table: Table, role: Role) -> ColumnElement[bool]:
    """Condition for rows of the table or an alias: the acting person owns them, or has the role in their base."""
    if table in OWNED:
        own: ColumnElement[bool] = rows.c.owner_id == _me()
        return own
    if table in OF_BASES:
        return rows.c[OF_BASES[table]].in_(_bases(role))
    if table in PARTS:
        column, whole = PARTS[table]
        of = whole.alias()
        return exists().where(of.c.id == rows.c[column], allowed(of, whole, role)).correlate(rows)
    raise ForbiddenError("people.table", name=table.name)


def _bases(role: Role) -> Any:
    """Ids of the bases in which the person has the role, without lists, which executemany cannot bind."""
    own, shares, groups = knowledge_bases.alias(), base_shares.alias(), memberships.alias()
    enough = or_(*(shares.c.role == each.value for each in Role if each.includes(role)))
    of_groups = shares.c.subject.in_(select(groups.c.subject).where(groups.c.person_id == _me()))
    return union_all(
        select(own.c.id).where(own.c.owner_id == _me()),
        select(shares.c.base_id).where((shares.c.subject == _me()) | of_groups, enough),
    )


def _me() -> Any:
    """A parameter that is evaluated when the statement is executed, so that one statement serves everybody."""
    return bindparam(None, callable_=_my_id, unique=True)


def _my_id() -> str:
    person = acting()
    if person is None:
        raise ForbiddenError("people.nobody")
    return person.id
