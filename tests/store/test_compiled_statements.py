"""Inserts that go around SQLAlchemy, and reads: the same rows, the same failures, the same walls between people."""

from datetime import timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine, bindparam, insert, select

from core.documents.store.library import sql_library
from core.platform.errors import ForbiddenError, NotFoundError, ServiceError
from core.platform.identity import Person, acting_as
from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import all_rows, open_engine, writing
from core.platform.sql.schema import documents, graph_events, knowledge_bases
from core.platform.sql.scoping import keep_apart
from tests.store.databases import TickingClock


def test_times_are_compared_as_they_are_stored(engine: Engine, clock: TickingClock) -> None:
    base = sql_library(engine, clock).bases.create("B")
    born = knowledge_bases.c.created_at
    later = select(knowledge_bases.c.id).where(born > bindparam("at"))
    same = select(knowledge_bases.c.id).where(born == bindparam("at"))
    earlier = (base.created_at - timedelta(seconds=1)).astimezone(timezone(timedelta(hours=8)))
    assert [row["id"] for row in all_rows(engine, later, at=earlier)] == [base.id]
    assert not all_rows(engine, later, at=base.created_at.astimezone(earlier.tzinfo))
    assert [row["id"] for row in all_rows(engine, same, at=base.created_at)] == [base.id]


def test_a_damaged_file_is_reported(tmp_path: Path) -> None:
    (tmp_path / "truth.sqlite").write_bytes(b"This is no database. " * 100)
    with pytest.raises(ServiceError, match="not a database"):
        sql_library(open_engine(f"sqlite:///{tmp_path}/truth.sqlite")).bases.get("b")


def test_people_are_kept_apart(engine: Engine, clock: TickingClock) -> None:
    ada, bob = Person("ada", "Ada", ""), Person("bob", "Bob", "")
    bases = sql_library(engine, clock).bases
    keep_apart(engine)
    with acting_as(ada):
        base = bases.create("Hers")
        assert bases.get(base.id) == base
    with acting_as(bob), pytest.raises(NotFoundError):
        bases.get(base.id)
    with pytest.raises(ForbiddenError):
        bases.get(base.id)


def test_many_rows_are_stored_as_in_the_ordinary_way(engine: Engine, clock: TickingClock) -> None:
    """Times, JSON, flags, missing values, and texts that no database takes as they are."""
    given: dict[str, Any] = {
        **{"base_id": sql_library(engine, clock).bases.create("B").id, "name": "a\0 “100 %” \ud800", "sha256": "0"},
        **{"size": 1, "media_type": "", "added_at": clock(), "ready_at": None, "cancelled": False, "error_key": ""},
        **{"error_params": [["n", "值"]], "parser": "", "language": "", "title": "", "pages": 0, "chunks": 0},
        **{"entities": 0, "notes": ["%s"], "estimate": {"seconds": 1.5}, "spent": None},
    }
    with writing(engine) as connection:
        connection.execute(insert(documents), {**given, "id": "ordinary"})
        insert_all(connection, documents, [{"id": f"{number}", **given} for number in range(3_000)])
        read = connection.exec_driver_sql("SELECT * FROM documents").mappings()
        stored = [{name: str(value) for name, value in row.items() if name != "id"} for row in read]
    assert len(stored) == 3_001
    assert stored == [stored[0]] * 3_001


def test_many_rows_go_only_where_the_person_may_write(engine: Engine, clock: TickingClock) -> None:
    ada, bob = Person("ada", "Ada", ""), Person("bob", "Bob", "")
    bases = sql_library(engine, clock).bases
    keep_apart(engine)
    with acting_as(ada):
        base = bases.create("Hers")
    row = {"base_id": base.id, "made_at": clock(), "kind": "", "subject": "", "actor": "", "name": ""}
    with acting_as(bob), pytest.raises(NotFoundError), writing(engine) as connection:
        insert_all(connection, graph_events, [row])
    with acting_as(ada), writing(engine) as connection:
        insert_all(connection, graph_events, [row])
