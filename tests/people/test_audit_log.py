"""The audit log of a year with many people: what of it the page shows, the tidying removes and the download holds."""

import csv
from datetime import UTC, datetime, timedelta, tzinfo
from io import StringIO

import pytest
from sqlalchemy import Engine, func, insert, select

from core.app.services import Services
from core.platform.identity import AUDIT_DAYS, AuditEntry
from core.platform.plain_text import BYTE_ORDER_MARK
from core.platform.settings.settings import load_settings
from core.platform.sql.audit import REMOVED
from core.platform.sql.engine import batches, reading, writing
from core.platform.sql.installation_tables import audit
from pages.components.settings.people import MOST_DOWNLOADED, NEWEST, audit_csv
from tests.store.databases import engine, migrated_file

__all__ = ["engine", "migrated_file"]
A_DAY, DAYS, PEOPLE = 500, AUDIT_DAYS + 7, 30
ACTIONS = ("session.seen", "base.asked", "base.opened", "document.added", "graph.edited", "settings.changed", REMOVED)
NOW = datetime(2026, 11, 22, tzinfo=UTC)
PERSON = "p7"


class SetClock:
    """In the place of the class whose now() is asked."""

    at = NOW

    def now(self, _zone: tzinfo | None = None) -> datetime:
        return self.at


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> SetClock:
    made = SetClock()
    monkeypatch.setattr("core.platform.clock.datetime", made)
    return made


def entry(number: int) -> AuditEntry:
    at = NOW - timedelta(days=DAYS) + (number + 0.5) * timedelta(days=1) / A_DAY
    return AuditEntry(at, f"p{number % PEOPLE}", ACTIONS[number % len(ACTIONS)], f"t{number}")


def kept(engine: Engine) -> int:
    with reading(engine) as connection:
        return connection.execute(select(func.count()).select_from(audit)).scalar_one()


def downloaded(entries: list[AuditEntry]) -> list[AuditEntry]:
    """What the file of these entries holds."""
    text = audit_csv(entries, {PERSON: "Ada"})
    head, *rows = csv.reader(StringIO(text.removeprefix(BYTE_ORDER_MARK)))
    assert head == ["at", "person_id", "person", "action", "target"]
    assert {row[2] for row in rows if row[1] == PERSON} == {"Ada"}
    return [AuditEntry(datetime.fromisoformat(row[0]), row[1], row[3], row[4]) for row in rows]


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_year_of_entries_is_shown_and_downloaded_newest_first_and_loses_what_is_older(
    engine: Engine, clock: SetClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", engine.url.render_as_string(hide_password=False))
    entries = [entry(number) for number in range(A_DAY * DAYS)]
    rows = [{"at": e.at, "person_id": e.person_id, "action": e.action, "target": e.target} for e in entries]
    with writing(engine) as connection:
        for batch in batches(rows):
            connection.execute(insert(audit), batch)
    shown = [each for each in reversed(entries) if each.action != REMOVED]
    of_person = [each for each in shown if each.person_id == PERSON]
    with Services(load_settings(), shared=True) as services:
        log = services.storage.access.audit
        assert log.newest(NEWEST) == shown[:NEWEST]
        assert log.newest(NEWEST, PERSON) == of_person[:NEWEST]
        services.tidy()
        assert kept(engine) == len(entries)
        clock.at += timedelta(days=1)
        services.tidy()  # forgets by the time of the look before
        assert kept(engine) == A_DAY * AUDIT_DAYS
        shown = shown[: sum(each.at >= NOW - timedelta(days=AUDIT_DAYS) for each in shown)]
        of_person = [each for each in shown if each.person_id == PERSON]
        assert log.newest(len(entries)) == shown
        assert downloaded(log.newest(MOST_DOWNLOADED)) == shown[:MOST_DOWNLOADED]
        assert downloaded(log.newest(MOST_DOWNLOADED, PERSON)) == of_person
