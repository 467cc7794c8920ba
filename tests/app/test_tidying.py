"""What is kept for days goes by a time that was seen twice: a clock that is wrong for a while takes nothing."""

from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

import pytest

from core.app.services import Services
from core.platform.files.atomic_file import write_atomically
from core.platform.settings.settings import load_settings
from tests.store.samples import publish


class MovedClock:
    """In the place of the class whose now() is asked."""

    ahead = timedelta()

    def now(self, _zone: tzinfo | None = None) -> datetime:
        return datetime.now(UTC) + self.ahead


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> MovedClock:
    moved = MovedClock()
    monkeypatch.setattr("core.platform.clock.datetime", moved)
    return moved


def test_a_clock_that_stands_ahead_for_a_while_deletes_nothing_for_good(data_folder: Path, clock: MovedClock) -> None:
    with Services(load_settings()) as services:
        base = services.library.bases.create("Tides")
        first, second = (publish(services.library, base, f"{name}.md", f"Pier {name} is closed.") for name in "ab")
        thread = services.threads.create("Tides", base.id, "adaptive")
        services.tidy()
        services.lifecycle.remove_document(first.id)
        services.threads.put_away(thread.id)
        clock.ahead = timedelta(days=30)
        services.tidy()
        services.tidy()  # by an app that is started again
        services.lifecycle.remove_document(second.id)
        clock.ahead = timedelta(days=1)
        services.tidy()
        services.threads.restore(thread.id)
        assert services.lifecycle.removal.restore(first.id).name == "a.md"


def test_what_was_kept_as_long_as_promised_goes_with_the_next_look(data_folder: Path, clock: MovedClock) -> None:
    with Services(load_settings()) as services:
        base = services.library.bases.create("Tides")
        document = publish(services.library, base, "a.md", "The pier is closed.")
        services.lifecycle.remove_document(document.id)
        left = []
        for clock.ahead in (timedelta(days=8), timedelta(days=8, minutes=1), timedelta(days=9)):
            services.tidy()
            left.append(len(list((data_folder / "trash").iterdir())))
        assert left == [2, 2, 0]


def test_what_killed_processes_left_half_written_goes_and_what_is_being_written_stays(
    data_folder: Path, clock: MovedClock
) -> None:
    with Services(load_settings()) as services:
        services.tidy()
        files = [data_folder / name / "incoming-x.tmp" for name in ("files", "trash", "versions", "work/d1")]
        for path in files:
            write_atomically(path, b"half of a document")
        beside = data_folder / "files" / "ab" / "incoming.txt"
        write_atomically(beside, b"a document")
        left = []
        for clock.ahead in (timedelta(hours=13), timedelta(hours=26)):
            services.tidy()
            left.append(len([path for path in files if path.exists()]))
    assert (left, beside.exists()) == ([4, 0], True)


def test_an_earlier_reading_goes_some_days_after_its_document(data_folder: Path, clock: MovedClock) -> None:
    with Services(load_settings()) as services:
        base = services.library.bases.create("Tides")
        first, second = (publish(services.library, base, f"{name}.md", f"Pier {name} is closed.") for name in "ab")
        for document in (first, second):
            services.lifecycle.reparse.begin(document.id, "")
        services.lifecycle.removal.document(first.id)
        for clock.ahead in (timedelta(), timedelta(days=8), timedelta(days=9)):
            services.tidy()
        earlier = [services.lifecycle.reparse.earlier(document.id) is not None for document in (first, second)]
        assert earlier == [False, True]
