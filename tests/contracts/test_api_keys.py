"""What every ApiKeys and ApiSessions does."""

import pytest
from sqlalchemy import Engine

from core.people.api_keys import KeyScope
from core.people.ports import ApiKeys
from core.people.store.api_keys import PREFIX, SqlApiKeys, SqlApiSessions
from core.platform.errors import InputError, NotFoundError
from core.runs.store.threads import SqlThreads
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]


@pytest.fixture
def keys(engine: Engine, clock: TickingClock) -> ApiKeys:
    return SqlApiKeys(engine, clock)


def test_a_key_is_known_by_its_secret_until_it_is_revoked(keys: ApiKeys) -> None:
    made, secret = keys.make("  My   script ", KeyScope.WRITE)
    other, _ = keys.make("Other", KeyScope.READ)
    assert (made.name, made.scope) == ("My script", KeyScope.WRITE)
    assert secret.startswith(made.hint)
    assert len(secret) > len(PREFIX) + 40
    known = keys.known(secret)
    assert known is not None
    assert known.id == made.id
    assert keys.known(secret + "x") is None
    assert keys.known("") is None
    assert [key.name for key in keys.all()] == ["Other", "My script"]
    assert keys.all()[1].last_used_at is not None
    keys.revoke(made.id)
    keys.revoke(made.id)
    assert keys.known(secret) is None
    assert [(key.id, key.revoked_at is None) for key in keys.all()] == [(other.id, True), (made.id, False)]


def test_the_secret_itself_is_stored_nowhere(keys: ApiKeys, engine: Engine) -> None:
    _, secret = keys.make("Script", KeyScope.READ)
    keys.known(secret)
    with engine.connect() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM api_keys").all()
    assert secret not in str(rows)
    assert secret[12:] not in str(rows)


@pytest.mark.parametrize("name", ["", "   ", "x" * 81])
def test_a_key_needs_a_name(keys: ApiKeys, name: str) -> None:
    with pytest.raises(InputError):
        keys.make(name, KeyScope.READ)


def test_only_an_existing_key_can_be_revoked(keys: ApiKeys) -> None:
    with pytest.raises(NotFoundError):
        keys.revoke("nothing")


def test_a_session_belongs_to_its_key_and_goes_with_its_conversation(keys: ApiKeys, engine: Engine) -> None:
    sessions, threads = SqlApiSessions(engine), SqlThreads(engine)
    one, other = keys.make("One", KeyScope.WRITE)[0], keys.make("Other", KeyScope.WRITE)[0]
    thread = threads.create("T", "", "adaptive")
    sessions.keep(one.id, "mine", thread.id)
    sessions.keep(one.id, "mine", thread.id)
    assert sessions.thread(one.id, "mine") == thread.id
    assert sessions.thread(other.id, "mine") == ""
    delete_thread(threads, thread.id)
    assert sessions.thread(one.id, "mine") == ""


def test_two_requests_of_a_new_session_at_once_keep_one_of_their_conversations(keys: ApiKeys, engine: Engine) -> None:
    sessions, threads, key = SqlApiSessions(engine), SqlThreads(engine), keys.make("One", KeyScope.WRITE)[0]
    one, other = (threads.create("T", "", "adaptive").id for _ in range(2))
    interleaved(
        engine,
        lambda: sessions.keep(key.id, "mine", one),
        "api_sessions",
        lambda: sessions.keep(key.id, "mine", other),
    )
    assert sessions.thread(key.id, "mine") == other


def test_a_conversation_that_is_deleted_meanwhile_is_kept_for_no_session(keys: ApiKeys, engine: Engine) -> None:
    sessions, threads, key = SqlApiSessions(engine), SqlThreads(engine), keys.make("One", KeyScope.WRITE)[0]
    thread = threads.create("T", "", "adaptive").id
    interleaved(
        engine,
        lambda: delete_thread(threads, thread),
        "DELETE FROM threads",
        lambda: sessions.keep(key.id, "mine", thread),
    )
    assert sessions.thread(key.id, "mine") == ""


def test_a_scope_includes_the_ones_before_it() -> None:
    assert [[one.includes(other) for other in KeyScope] for one in KeyScope] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]
