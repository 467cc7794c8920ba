"""Leases: who lives, who leads, and whose work is to be taken over, by the clock of the database."""

import threading
from datetime import timedelta

from sqlalchemy import Engine, select, update

from core.platform.processes.leases import SqlLease, processes
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import process_leases

SECONDS = 600.0
"""No sign of life is due within a test, so what the tests write stays."""


def silence(engine: Engine, id: str, seconds: float) -> None:
    """As if nothing had been heard of it for so long."""
    this = process_leases.c.id == id
    with writing(engine) as connection:
        seen = connection.execute(select(process_leases.c.seen_at).where(this)).scalar_one()
        connection.execute(update(process_leases).where(this).values(seen_at=seen - timedelta(seconds=seconds)))


def look(lease: SqlLease, in_touch: float = 2 * SECONDS) -> None:
    """A sign of life, of a process that has been in touch for so long."""
    lease._in_touch_since -= in_touch
    lease._beat()


def test_the_living_know_each_other_and_the_oldest_leads(engine: Engine) -> None:
    first, second, app = (SqlLease(engine, kind, SECONDS) for kind in ("worker", "worker", "app"))
    try:
        assert sorted(each.kind for each in processes(engine, SECONDS)) == ["app", "worker", "worker"]
        assert first.is_alive(second.id)
        assert app.is_alive(first.id)
        assert not first.is_alive("nobody")
        for lease in (first, second, app):
            look(lease)
        assert app.leads()
        assert first.leads() != second.leads(), "SQLite's clock counts seconds, so either may be the older one"
        assert first.dead() == second.dead() == []
    finally:
        for lease in (first, second, app):
            lease.close()
    assert processes(engine, SECONDS) == []


def test_the_silent_are_dead_to_those_who_are_in_touch_and_learn_that_themselves(engine: Engine) -> None:
    silent, living = SqlLease(engine, "worker", SECONDS), SqlLease(engine, "worker", SECONDS)
    silence(engine, silent.id, SECONDS + 1)
    look(living, in_touch=0)
    assert living.dead() == [], "after a failure of the database everybody seems to be silent"
    look(living)
    assert (living.dead(), living.leads(), living.is_alive(silent.id)) == ([silent.id], True, False)
    living.forget(living.dead())
    assert living.dead() == []
    silent._beat()
    assert silent.is_lost
    assert not living.is_lost
    living.close()
    silent.close()


def test_who_ends_in_good_order_is_dead_at_once(engine: Engine) -> None:
    leaving, staying = SqlLease(engine, "worker", SECONDS), SqlLease(engine, "worker", SECONDS)
    leaving.close()
    look(staying, in_touch=0)
    assert staying.dead() == [leaving.id]
    staying.tidy()
    with reading(engine) as connection:
        assert list(connection.execute(select(process_leases.c.id)).scalars()) == [staying.id]
    staying.close()


def test_an_app_that_was_taken_for_dead_goes_on_and_one_settles_what_commands_have_left(engine: Engine) -> None:
    app, silent, command = (SqlLease(engine, kind, SECONDS) for kind in ("app", "app", "command"))
    assert not app.has_died(silent.id)
    assert not app.has_died(command.id)
    for id in (silent.id, command.id):
        silence(engine, id, SECONDS + 1)
    look(app, in_touch=0)
    assert not app.has_died(silent.id), "after a failure of the database everybody seems to be silent"
    look(app)
    assert app.has_died(silent.id)
    assert app.has_died(command.id)
    app.tidy()
    assert app.has_died(silent.id), "it is forgotten"
    silent._beat()
    assert not silent.is_lost
    look(app)
    assert not app.has_died(silent.id)
    assert command.dead() == [], "a command settles nothing"
    for lease in (app, silent, command):
        lease.close()


def test_a_defect_in_what_follows_a_sign_of_life_does_not_end_the_signs(engine: Engine) -> None:
    begun, again = threading.Event(), threading.Event()

    def each_beat() -> None:
        if begun.is_set():
            again.set()
        begun.set()
        raise TypeError("a defect")

    lease = SqlLease(engine, "app", 0.05, each_beat)
    assert again.wait(30)
    lease.close()
