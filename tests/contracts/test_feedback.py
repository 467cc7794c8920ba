"""What every FeedbackStore does."""

import pytest
from sqlalchemy import Engine

from core.platform.errors import NotFoundError
from core.runs.model import Complaint, Feedback, RunRequest, Verdict
from core.runs.ports import FeedbackStore
from core.runs.store.evaluations import SqlFeedbackStore
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.store.databases import engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["engine", "migrated_file"]


@pytest.fixture
def store(engine: Engine) -> FeedbackStore:
    return SqlFeedbackStore(engine)


def test_the_last_word_about_an_answer_counts_until_it_is_taken_back(engine: Engine, store: FeedbackStore) -> None:
    threads = SqlThreads(engine)
    thread, other = threads.create("T", "", ""), threads.create("O", "", "")
    run = SqlRunLog(engine).start(RunRequest("q", ""), thread.id, "built-in")
    store.give(Feedback(run.id, Verdict.UP))
    said = Feedback(run.id, Verdict.DOWN, Complaint.MISSED, "It stands on page 3 <b>")
    store.give(said)
    assert store.of_thread(thread.id) == {run.id: said}
    assert store.of_thread(other.id) == {}
    store.withdraw(run.id)
    store.withdraw(run.id)
    assert store.of_thread(thread.id) == {}


def test_two_judgements_at_once_leave_the_last_one(engine: Engine, store: FeedbackStore) -> None:
    thread = SqlThreads(engine).create("T", "", "")
    run = SqlRunLog(engine).start(RunRequest("q", ""), thread.id, "built-in")
    up, down = (Feedback(run.id, verdict) for verdict in (Verdict.UP, Verdict.DOWN))
    interleaved(engine, lambda: store.give(up), "SELECT", lambda: store.give(down))
    assert store.of_thread(thread.id) == {run.id: down}


def test_an_answer_that_is_gone_cannot_be_judged(engine: Engine, store: FeedbackStore) -> None:
    with pytest.raises(NotFoundError):
        store.give(Feedback("nothing", Verdict.UP))
    threads = SqlThreads(engine)
    thread = threads.create("T", "", "")
    store.give(Feedback(SqlRunLog(engine).start(RunRequest("q", ""), thread.id, "e").id, Verdict.UP))
    delete_thread(threads, thread.id)
    assert store.of_thread(thread.id) == {}
