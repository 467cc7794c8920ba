"""Two people in one database: neither sees nor changes a row of the other one, whatever the statement."""

import random
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import (
    Column,
    Engine,
    Select,
    delete,
    exists,
    func,
    insert,
    literal,
    select,
    text,
    union_all,
    update,
)

from core.documents.store.bases import SqlBases
from core.memory.files import read_memories
from core.memory.store.memories import SqlMemoryStore
from core.models.embedding.hashed import HashedEmbedder
from core.people.store.people import SqlPeople
from core.people.store.shares import SqlShares
from core.platform.clock import utc_now
from core.platform.errors import ForbiddenError, NotFoundError
from core.platform.identity import SYSTEM, Person, Role, acting_as, group_subject
from core.platform.sql.access_rules import OF_BASES, OWNED, PARTS
from core.platform.sql.audit import SqlAudit
from core.platform.sql.conversation_tables import run_events, runs, threads
from core.platform.sql.engine import reading, writing
from core.platform.sql.schema import METADATA, documents
from core.platform.sql.scoping import keep_apart
from core.runs.model import RunRequest, RunStatus, Usage
from core.runs.run_lists import RunFilter
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads

ADA, BOB = Person("ada", "Ada", "ada@example.org"), Person("bob", "Bob", "Bob@Example.org", ("maths",))
NOW = datetime(2026, 11, 22, tzinfo=UTC)
RULED = sorted({*OWNED, *OF_BASES, *PARTS}, key=lambda table: table.name)
QUERIES, DIFFERENT = 1_000, 150


@pytest.fixture
def shared(engine: Engine) -> Engine:
    """With a row of each of them in every table."""
    with writing(engine) as connection:
        for table in METADATA.sorted_tables:
            if table in RULED:
                for owner in ("ada", "bob"):
                    connection.execute(insert(table), {c.name: value(c, owner) for c in table.c if is_given(c)})
    keep_apart(engine)
    people = SqlPeople(engine, lambda: NOW)
    people.enter(ADA, NOW)
    people.enter(BOB, NOW)
    people.enter(replace(BOB, groups=("ships",)), NOW - timedelta(days=1))  # an older sign-in that is seen again
    return engine


def is_given(column: Column[Any]) -> bool:
    return not (column.name == "position" and column.autoincrement is True)


def value(column: Column[Any], owner: str) -> object:
    """Every text says whose it is."""
    if column.foreign_keys:
        return f"{owner}-{next(iter(column.foreign_keys)).column.table.name}"
    if column.name == "owner_id":
        return owner
    if column.name == "base_id":
        return f"{owner}-knowledge_bases"
    if column.name == "copied_from":  # a copy is not counted
        return ""
    kind = column.type.python_type if not hasattr(column.type, "impl") else column.type.impl.python_type
    of_kind = {str: f"{owner}-{column.table.name}", datetime: NOW, bytes: owner.encode(), int: 0, float: 0.0}
    return of_kind.get(kind, False if kind is bool else [owner])


def random_query(chance: random.Random) -> Select[Any]:
    """Over one or two tables, plain, under aliases, below others, joined inside or outside, counted, or united."""
    table, other = chance.choice(RULED), chance.choice(RULED).alias()
    rows = chance.choice((table, table.alias()))
    shape = chance.randrange(8)
    if shape == 0:
        return select(rows)
    if shape == 1:
        return select(rows, other).join_from(rows, other, literal(1) == 1, isouter=chance.random() < 0.5)
    if shape == 2:
        return select(select(rows).subquery())
    if shape == 3:
        return select(select(rows).cte("inner_rows"))
    if shape == 4:
        return select(literal("x"), select(func.max(first_text(rows))).scalar_subquery())
    if shape == 5:
        return select(rows).where(~exists().where(first_text(other) == first_text(rows)))
    if shape == 6:
        one, two = (select(func.coalesce(first_text(each), "")) for each in (rows, other))
        return select(union_all(one, two).subquery())
    return select(literal("ada-seen")).where(exists(select(rows).where(first_text(rows).startswith("ada"))))


def first_text(rows: Any) -> Any:
    return next(column for column in rows.c if value_is_text(column))


def value_is_text(column: Any) -> bool:
    return str(column.type) in ("VARCHAR", "TEXT")


def told(rows: Any) -> str:
    return repr([tuple(row) for row in rows]).lower()


def test_every_table_has_a_rule_or_is_closed(engine: Engine) -> None:
    closed = {
        "audit",
        "base_shares",
        "data_folder",
        "ended_sessions",
        "memberships",
        "people",
        "process_leases",
        "shared_settings",
    }
    assert {table.name for table in METADATA.tables.values()} - {table.name for table in RULED} == closed
    keep_apart(engine)
    for name in closed:
        with acting_as(BOB), reading(engine) as connection, pytest.raises(ForbiddenError):
            connection.execute(select(METADATA.tables[name]))


def test_a_thousand_random_queries_tell_nothing_of_the_other_one(shared: Engine) -> None:
    """Some are asked several times, as those of the stores are."""
    chance = random.Random(15)
    different = [random_query(chance) for _ in range(DIFFERENT)]
    own = 0
    with acting_as(BOB), reading(shared) as connection:
        for _ in range(QUERIES):
            query = chance.choice(different)
            found = told(connection.execute(query))
            assert "ada" not in found, str(query)
            own += "bob" in found
    assert own > QUERIES / 2


def test_nobody_changes_a_row_of_the_other_one(shared: Engine) -> None:
    before = contents(shared)
    for table in RULED:
        others = ~first_text(table).startswith("bob")
        changes: list[Any] = [delete(table).where(others)]
        for column in table.c:
            if value_is_text(column) and column.name not in ("owner_id", "base_id") and not column.foreign_keys:
                changes.append(update(table).values({column.name: "mine"}).where(others))
        for statement in changes:
            with acting_as(BOB), writing(shared) as connection:
                assert connection.execute(statement).rowcount == 0
        planted = {column.name: value(column, "ada") for column in table.c if is_given(column)}
        copied = insert(table).from_select(list(planted), select(*map(literal, planted.values())))
        for planting in (insert(table).values(planted), copied):
            with acting_as(BOB), writing(shared) as connection, pytest.raises((ForbiddenError, NotFoundError)):
                connection.execute(planting)
    assert contents(shared) == before


def contents(engine: Engine) -> list[str]:
    with acting_as(SYSTEM), reading(engine) as connection:
        return [told(connection.execute(select(table))) for table in RULED]


def test_own_rows_do_not_move_to_the_other_one(shared: Engine) -> None:
    with acting_as(BOB), writing(shared) as connection:
        for statement in (
            update(threads).values(owner_id="ada"),
            update(runs).values(thread_id="ada-threads"),
            update(documents).values(base_id="ada-knowledge_bases"),
        ):
            with pytest.raises((ForbiddenError, NotFoundError)):
                connection.execute(statement)
        with pytest.raises(NotFoundError):
            connection.execute(
                insert(run_events),
                [{"run_id": f"{name}-runs", "seq": 9, "type": "", "payload": {}} for name in ("bob", "ada")],
            )


def test_work_for_nobody_and_statements_that_cannot_be_read_are_refused(shared: Engine) -> None:
    with reading(shared) as connection, pytest.raises(ForbiddenError):
        connection.execute(select(threads))
    with acting_as(BOB), reading(shared) as connection, pytest.raises(ForbiddenError):
        connection.execute(text("SELECT * FROM threads"))


@pytest.fixture(params=["bob", group_subject("maths")])
def subject(request: pytest.FixtureRequest) -> str:
    """As whom Bob is reached."""
    return str(request.param)


def test_a_role_in_a_base_decides_what_is_seen_and_changed(shared: Engine, subject: str) -> None:
    shares, bases, base_id = SqlShares(shared), SqlBases(shared), "ada-knowledge_bases"
    renamed = update(documents).where(documents.c.base_id == base_id).values(name="renamed")
    with acting_as(BOB), pytest.raises(NotFoundError):
        shares.share(base_id, subject, Role.OWNER)
    for role in (Role.READER, Role.EDITOR, Role.OWNER):
        with acting_as(ADA):
            shares.share(base_id, subject, role)
            assert [(each.subject, each.role) for each in shares.of_base(base_id)] == [(subject, role)]
        with acting_as(BOB):
            assert (shares.role(base_id), len(bases.all())) == (role, 2)
            if role is Role.READER:
                with writing(shared) as connection, pytest.raises(ForbiddenError):
                    connection.execute(renamed)
            else:
                with writing(shared) as connection:
                    assert connection.execute(renamed).rowcount == 1
            if role is not Role.OWNER:
                with pytest.raises(ForbiddenError):
                    bases.delete(base_id)
                with pytest.raises(ForbiddenError):
                    shares.withdraw(base_id, subject)
    with acting_as(ADA):
        shares.withdraw(base_id, subject)
    with acting_as(BOB):
        assert [base.id for base in bases.all()] == ["bob-knowledge_bases"]


def test_two_people_have_bases_of_one_name(shared: Engine) -> None:
    bases = SqlBases(shared)
    made = []
    for person in (ADA, BOB):
        with acting_as(person):
            made.append(bases.create("Papers"))
            assert bases.named("papers") == made[-1]
    assert made[0].id != made[1].id


def test_what_nobody_owns_is_adopted_and_usage_counts_without_contents(shared: Engine) -> None:
    people = SqlPeople(shared, lambda: NOW)
    with acting_as(SYSTEM):
        of_a_single_desk = SqlBases(shared).create("Old")
    with acting_as(BOB):
        assert of_a_single_desk not in SqlBases(shared).all()
    assert people.adopt(BOB.id) == 1
    with acting_as(BOB):
        assert of_a_single_desk.id in {base.id for base in SqlBases(shared).all()}
    assert [(each.person.id, each.questions, each.bases) for each in people.usage(NOW)] == [
        ("ada", 1, 1),
        ("bob", 1, 2),
    ]
    assert people.called("bob@example.org") == BOB
    people.dissolve()
    with acting_as(SYSTEM):
        assert {base.owner_id for base in SqlBases(shared).all()} == {""}
    assert people.all() == []


def test_bases_whose_names_meet_get_a_number_that_none_of_them_bears(shared: Engine) -> None:
    people, bases = SqlPeople(shared, lambda: NOW), SqlBases(shared)
    with acting_as(SYSTEM):
        adopted = bases.create("papers")
    with acting_as(ADA):
        own, _ = bases.create("Papers"), bases.create("Papers 2")
    assert people.adopt(ADA.id) == 1
    with acting_as(ADA):
        assert (bases.get(own.id).name, bases.get(adopted.id).name) == ("Papers", "papers 3")
    with acting_as(SYSTEM):
        desk = bases.create("Papers")
    people.dissolve()
    with acting_as(SYSTEM):
        names = {base.id: base.name for base in bases.all()}
        assert (names[desk.id], names[own.id]) == ("Papers", "Papers 4")
        assert bases.named("papers 4") == bases.get(own.id)


def test_turns_that_a_fork_copies_are_not_counted_as_questions(shared: Engine) -> None:
    people, log = SqlPeople(shared, lambda: NOW), SqlRunLog(shared, lambda: NOW)
    with acting_as(BOB):
        run = log.begin(RunRequest("Why?", "bob-knowledge_bases"), "Why?", "built-in")
        log.finish(replace(run, status=RunStatus.DONE))
    before = people.usage(NOW), people.spent(BOB.id, NOW)
    with acting_as(BOB):
        SqlThreads(shared).fork(run.thread_id, run.id, "Copy")
    assert (people.usage(NOW), people.spent(BOB.id, NOW)) == before


def test_a_question_that_its_person_removes_goes_on_counting(shared: Engine) -> None:
    people, log, lists = SqlPeople(shared), SqlRunLog(shared), SqlRunLists(shared)
    since = utc_now() - timedelta(hours=1)
    with acting_as(BOB):
        run = log.begin(RunRequest("Why?", "bob-knowledge_bases"), "Why?", "built-in")
        log.finish(replace(run, status=RunStatus.DONE, usage=Usage(1, 20, 3), seconds=1.5))
        SqlThreads(shared).fork(run.thread_id, run.id, "Copy")
    before = people.spent(BOB.id, since), people.usage(since)
    assert (run.started_at, 23) in before[0]
    assert [(each.questions, each.tokens, each.seconds) for each in before[1]] == [(0, 0, 0.0), (1, 23, 1.5)]
    with acting_as(BOB):
        lists.remove(RunFilter())
        assert lists.count(RunFilter()) == 0
    assert (people.spent(BOB.id, since), people.usage(since)) == before
    assert "run.removed" not in {each.action for each in SqlAudit(shared).newest(9, BOB.id)}


def test_a_question_of_a_conversation_that_is_deleted_for_good_goes_on_counting(shared: Engine) -> None:
    people, log, threads = SqlPeople(shared), SqlRunLog(shared), SqlThreads(shared)
    since = utc_now() - timedelta(hours=1)
    with acting_as(BOB):
        run = log.begin(RunRequest("Why?", "bob-knowledge_bases"), "Why?", "built-in")
        log.finish(replace(run, status=RunStatus.DONE, usage=Usage(1, 20, 3), seconds=1.5))
        threads.put_away(run.thread_id)
    before = people.usage(since)
    with acting_as(SYSTEM):
        threads.purge(utc_now() + timedelta(seconds=1))
        assert log.of_thread(run.thread_id) == []
    assert people.usage(since) == before


def test_a_session_ends_for_good_and_the_log_says_who_did_what(shared: Engine) -> None:
    people, log = SqlPeople(shared, lambda: NOW), SqlAudit(shared, lambda: NOW)
    assert not people.is_ended("one")
    people.end_session("one")
    people.end_session("one")
    assert (people.is_ended("one"), people.is_ended("two")) == (True, False)
    assert (people.forget_sessions(NOW), people.is_ended("one")) == (0, True)
    assert (people.forget_sessions(NOW + timedelta(seconds=1)), people.is_ended("one")) == (1, False)
    for person in (ADA, BOB):
        with acting_as(person):
            log.note("sign_in")
    assert [(each.person_id, each.action) for each in log.newest(9)] == [("bob", "sign_in"), ("ada", "sign_in")]
    assert len(log.newest(9, "ada")) == 1
    assert (log.forget(NOW), len(log.newest(9))) == (0, 2)
    log.note("nobody.did.it")
    assert (log.forget(NOW + timedelta(seconds=1)), log.newest(9)) == (2, [])


def test_two_people_may_tell_the_same(shared: Engine) -> None:
    store = SqlMemoryStore(shared, HashedEmbedder())
    for person in (ADA, BOB):
        with acting_as(person):
            (told,) = read_memories(b'[{"text": "I work in Kiel."}]', {}, NOW)
            store.save(told)
            assert store.get(told.id) == told
