"""What every store of people and shares does when several apps use it."""

from datetime import UTC, datetime, timedelta

from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.people.store.people import SqlPeople
from core.people.store.shares import SqlShares
from core.platform.identity import Person, Role, Share
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.interleaving import interleaved

__all__ = ["base", "clock", "engine", "library", "migrated_file"]
NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)


def test_a_session_may_be_ended_by_two_pages_at_once(engine: Engine) -> None:
    people = SqlPeople(engine)
    interleaved(engine, lambda: people.end_session("d"), "ended_sessions", lambda: people.end_session("d"))
    assert people.is_ended("d")


def test_of_two_shares_with_one_person_at_once_the_last_one_counts(engine: Engine, base: KnowledgeBase) -> None:
    shares = SqlShares(engine)
    interleaved(
        engine,
        lambda: shares.share(base.id, "bob", Role.EDITOR),
        "base_shares",
        lambda: shares.share(base.id, "bob", Role.READER),
    )
    assert shares.of_base(base.id) == [Share(base.id, "bob", Role.READER, "bob")]


def test_a_base_is_deleted_while_it_is_shared(engine: Engine, library: Library, base: KnowledgeBase) -> None:
    shares = SqlShares(engine)
    shares.share(base.id, "bob", Role.READER)
    interleaved(
        engine,
        lambda: shares.share(base.id, "bob", Role.EDITOR),
        "knowledge_bases",
        lambda: library.bases.delete(base.id),
    )
    assert library.bases.all() == []


def test_of_two_sign_ins_at_once_the_later_one_says_the_groups(engine: Engine) -> None:
    people = SqlPeople(engine)
    old, new = (Person("ada", "Ada", groups=(group,)) for group in ("old", "new"))
    interleaved(engine, lambda: people.enter(old, NOON), "people", lambda: people.enter(new, NOON + timedelta(1)))
    assert people.get("ada") == new
