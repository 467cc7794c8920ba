"""The one place that keeps people apart: every statement of an engine that they share is narrowed here.

A statement sees only rows that its person may see, and changes only those that the person may change. Work for
nobody is refused, and so are statements and tables without a rule.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from sqlalchemy import Connection, Delete, Engine, Insert, Select, Table, Update, event, func, insert, or_, select
from sqlalchemy.sql.elements import BindParameter
from sqlalchemy.sql.expression import CompoundSelect, FromClause, Join
from sqlalchemy.sql.selectable import AliasedReturnsRows
from sqlalchemy.sql.visitors import cloned_traverse

from core.platform.errors import ForbiddenError, NotFoundError
from core.platform.identity import SYSTEM, Role, acting, acting_id
from core.platform.sql.access_rules import OF_BASES, OWNED, PARTS, allowed, is_of_bases
from core.platform.sql.audit import ACTIONS, AS_SYSTEM, entries
from core.platform.sql.engine import reading
from core.platform.sql.installation_tables import audit, people
from core.platform.sql.schema import knowledge_bases

_KNOWN: WeakKeyDictionary[Any, Any] = WeakKeyDictionary()
"""Narrowed statements by their originals, because many are built once."""
AS_IT_IS = AS_SYSTEM
"""Execution options of statements that have their rules already."""
_LISTED = 100
Values = Mapping[str, Any]


def keep_apart(engine: Engine) -> None:
    """Narrows all statements of the engine from now on."""
    event.listen(engine, "before_execute", _before, retval=True)


def has_people(engine: Engine) -> bool:
    """Whether anybody has ever signed in."""
    with reading(engine) as connection:
        return connection.execute(select(people.c.id).limit(1)).first() is not None


def is_kept_apart(engine: Engine) -> bool:
    return event.contains(engine, "before_execute", _before)


def _before(
    connection: Connection, statement: Any, many: Sequence[Values], one: Values, options: Mapping[str, object]
) -> tuple[Any, Sequence[Values], Values]:
    if (person := acting()) is None:
        raise ForbiddenError("people.nobody")
    if person is SYSTEM or options.get("graphtalk_narrowed"):
        return statement, many, one
    if not isinstance(statement, Select | CompoundSelect | Insert | Update | Delete):
        raise ForbiddenError("people.table", name=type(statement).__name__)
    given = list(many) or [one]
    if isinstance(statement, Insert | Update):
        _check_whole(connection, statement, given)
    if isinstance(statement, Update | Delete):
        _check_role(connection, statement, given)
    _note(connection, statement, given)
    return _narrowed(statement), many, one


def _narrowed(statement: Any) -> Any:
    found = _KNOWN.get(statement)
    if found is None:
        visitors = {"select": _narrow_select, "update": _narrow_change, "delete": _narrow_change}
        found = _KNOWN[statement] = cloned_traverse(statement, {}, visitors)
    return found


def _narrow_select(statement: Any) -> None:
    for rows, table, optional in _tables(statement.get_final_froms()):
        seen = allowed(rows, table, Role.READER)
        if optional:
            seen = or_(seen, *(column.is_(None) for column in rows.primary_key))
        statement._where_criteria += (seen,)
    statement._reset_memoizations()


def _narrow_change(statement: Any) -> None:
    statement._where_criteria += (allowed(statement.table, statement.table, _role_for(statement)),)
    statement._reset_memoizations()


def _role_for(statement: Any) -> Role:
    return Role.OWNER if isinstance(statement, Delete) and statement.table is knowledge_bases else Role.EDITOR


def _tables(froms: Iterable[FromClause], optional: bool = False) -> Iterator[tuple[FromClause, Table, bool]]:
    """Tables and aliases of tables, and whether an outer join may leave them empty; subqueries narrow themselves."""
    for each in froms:
        if isinstance(each, Join):
            yield from _tables([each.left], optional or each.full)
            yield from _tables([each.right], optional or each.isouter or each.full)
        elif isinstance(each, Table):
            yield each, each, optional
        elif isinstance(each, AliasedReturnsRows) and isinstance(each.element, Table):
            yield each, each.element, optional


def _check_whole(connection: Connection, statement: Any, given: Sequence[Values]) -> None:
    """Checks that new and moved rows become part only of what the person may change."""
    table = statement.table
    if table in OWNED or table is knowledge_bases:
        if any(value not in (None, acting_id()) for value in _given(statement, "owner_id", given)):
            raise ForbiddenError("people.table", name=table.name)
        return
    column, whole = (OF_BASES[table], knowledge_bases) if table in OF_BASES else PARTS.get(table, ("", None))
    if whole is None:
        raise ForbiddenError("people.table", name=table.name)
    ids = sorted({value for value in _given(statement, column, given) if value is not None})
    for start in range(0, len(ids), _LISTED):
        _require_role(connection, whole, ids[start : start + _LISTED])


def _require_role(connection: Connection, whole: Table, ids: Sequence[str]) -> None:
    """Raises NotFoundError for what the person does not see, ForbiddenError for what they only see."""
    there = select(func.count()).select_from(whole).where(whole.c.id.in_(ids))
    for role, refusal in (
        (Role.READER, NotFoundError("people.missing")),
        (Role.EDITOR, ForbiddenError("people.read_only")),
    ):
        allowed_rows = there.where(allowed(whole, whole, role))
        if connection.execute(allowed_rows, execution_options=AS_IT_IS).scalar_one() < len(ids):
            raise refusal


def _check_role(connection: Connection, statement: Any, given: Sequence[Values]) -> None:
    """Refuses a change of rows some of which the person may only see, instead of doing a part of it."""
    table = statement.table
    if not is_of_bases(table):
        return
    seen, changed = allowed(table, table, Role.READER), allowed(table, table, _role_for(statement))
    meant = select(func.count()).select_from(table).where(*statement._where_criteria, seen, ~changed)
    for values in given:
        if connection.execute(meant, values, execution_options=AS_IT_IS).scalar_one():
            raise ForbiddenError("people.read_only")


def _note(connection: Connection, statement: Any, given: Sequence[Values]) -> None:
    """Writes what the audit log keeps of the statement."""
    if isinstance(statement, Select | CompoundSelect):
        return
    action, column = ACTIONS.get((statement.table, statement.__visit_name__), ("", ""))
    if not action:
        return
    if isinstance(statement, Insert):
        targets = _given(statement, column, given)
    else:
        table = statement.table
        meant = select(table.c[column]).where(*statement._where_criteria, allowed(table, table, _role_for(statement)))
        many = (connection.execute(meant, each, execution_options=AS_IT_IS).scalars() for each in given)
        targets = [target for found in many for target in found]
    if rows := entries(action, list(dict.fromkeys(targets))):
        connection.execute(insert(audit), rows, execution_options=AS_IT_IS)


def _given(statement: Any, column: str, given: Sequence[Values]) -> list[Any]:
    """Values that the statement writes into the column; None if they come from a narrowed select."""
    if statement._multi_values:
        raise ForbiddenError("people.table", name=statement.table.name)
    if isinstance(statement, Insert) and statement.select is not None:
        return [_selected(statement, column)]
    fixed = {getattr(name, "key", name): value for name, value in (statement._values or {}).items()}
    if column in fixed:
        value = fixed[column]
        return [value.effective_value if isinstance(value, BindParameter) else value]
    return [values.get(column) for values in given]


def _selected(statement: Any, column: str) -> Any:
    if column not in statement._select_names:
        return None
    source = list(statement.select.selected_columns)[statement._select_names.index(column)]
    source = getattr(source, "element", source)
    return source.effective_value if isinstance(source, BindParameter) else None
